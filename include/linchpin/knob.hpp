/* SPDX-License-Identifier: Apache-2.0
 * Knobs: the options of a C++ tool. A knob registers itself when it is constructed, before main, in a list inside the tool; PIN_Init reads the tool's part of the command
 * line into them. Header only. Not locked: knobs are made by constructors and read after PIN_Init. */
#ifndef LINCHPIN_KNOB_HPP
#define LINCHPIN_KNOB_HPP
#include "api_text.h"
#include "strings.hpp"

#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <string>
#include <vector>

/* One instance in each tool, also when several are in a process. */
#define LP_LOCAL __attribute__((visibility("hidden")))

namespace LP_C {
extern "C" INT32 lp_under_pin(void) __attribute__((weak)); /* is the command pin? */
}

namespace LEVEL_BASE {

/* --- values ---------------------------------------------------------------------------------------------------------------------------------------- */
/* Text to value; FALSE: it is not one. */
template <typename T> inline BOOL LP_ReadSigned(const std::string &s, T *out)
{
    char *end;
    errno = 0;
    long long v = std::strtoll(s.c_str(), &end, 0);
    *out = static_cast<T>(v);
    return end != s.c_str() && !*end && !errno && static_cast<long long>(*out) == v;
}
template <typename T> inline BOOL LP_ReadUnsigned(const std::string &s, T *out)
{
    char *end;
    errno = 0;
    unsigned long long v = std::strtoull(s.c_str(), &end, 0);
    *out = static_cast<T>(v);
    BOOL fits = *out == v || (s[0] == '-' && static_cast<unsigned long long>(static_cast<T>(0) - *out) == 0 - v);
    return end != s.c_str() && !*end && !errno && fits;
}
inline BOOL LP_Read(const std::string &s, std::string *out) { *out = s; return true; }
inline BOOL LP_Read(const std::string &s, bool *out)
{
    *out = s == "1" || s == "true" || s == "TRUE" || s == "True" || s == "yes" || s == "on";
    return *out || s == "0" || s == "false" || s == "FALSE" || s == "False" || s == "no" || s == "off" || s.empty();
}
inline BOOL LP_Read(const std::string &s, short *out) { return LP_ReadSigned(s, out); }
inline BOOL LP_Read(const std::string &s, int *out) { return LP_ReadSigned(s, out); }
inline BOOL LP_Read(const std::string &s, long *out) { return LP_ReadSigned(s, out); }
inline BOOL LP_Read(const std::string &s, long long *out) { return LP_ReadSigned(s, out); }
inline BOOL LP_Read(const std::string &s, unsigned short *out) { return LP_ReadUnsigned(s, out); }
inline BOOL LP_Read(const std::string &s, unsigned int *out) { return LP_ReadUnsigned(s, out); }
inline BOOL LP_Read(const std::string &s, unsigned long *out) { return LP_ReadUnsigned(s, out); }
inline BOOL LP_Read(const std::string &s, unsigned long long *out) { return LP_ReadUnsigned(s, out); }
inline BOOL LP_Read(const std::string &s, double *out)
{
    char *end;
    *out = std::strtod(s.c_str(), &end);
    return end != s.c_str() && !*end;
}
inline BOOL LP_Read(const std::string &s, float *out)
{
    double d;
    BOOL ok = LP_Read(s, &d);
    *out = static_cast<float>(d);
    return ok;
}
inline BOOL LP_Read(const std::string &s, ADDRESS_RANGE *out)
{
    size_t colon = s.find(':');
    return colon != std::string::npos && LP_Read(s.substr(0, colon), &out->_low) && LP_Read(s.substr(colon + 1), &out->_high);
}
/* Any other type that a stream can read. */
template <typename T> inline BOOL LP_Read(const std::string &s, T *out)
{
    std::istringstream in(s);
    in >> *out;
    return !in.fail();
}

template <typename T> struct LP_KnobType { static const char *Name() { return "value"; } enum { is_flag = 0 }; };
template <> struct LP_KnobType<bool> { static const char *Name() { return "bool"; } enum { is_flag = 1 }; };
#define LP_KNOB_NUMBER(type) template <> struct LP_KnobType<type> { static const char *Name() { return "number"; } enum { is_flag = 0 }; };
LP_KNOB_NUMBER(short)
LP_KNOB_NUMBER(int)
LP_KNOB_NUMBER(long)
LP_KNOB_NUMBER(long long)
LP_KNOB_NUMBER(unsigned short)
LP_KNOB_NUMBER(unsigned int)
LP_KNOB_NUMBER(unsigned long)
LP_KNOB_NUMBER(unsigned long long)
LP_KNOB_NUMBER(float)
LP_KNOB_NUMBER(double)
#undef LP_KNOB_NUMBER
template <> struct LP_KnobType<std::string> { static const char *Name() { return "string"; } enum { is_flag = 0 }; };

template <typename T> inline VOID LP_Accumulate(T *sum, const T &v) { *sum = static_cast<T>(*sum + v); }
inline VOID LP_Accumulate(bool *sum, const bool &v) { *sum = *sum || v; }
inline VOID LP_Accumulate(ADDRESS_RANGE *sum, const ADDRESS_RANGE &v) { *sum = v; }

/* An option of the tool's was wrong, and the engine will say so when main has come back. */
LP_LOCAL inline BOOL &LP_Mistaken()
{
    static BOOL mistaken;
    return mistaken;
}

/* --- the list -------------------------------------------------------------------------------------------------------------------------------------- */
/* A mistake with options: on standard error, or under the command pin where Pin says it, on standard output. */
inline VOID LP_KnobSays(const char *kind, const std::string &text)
{
    FILE *to = LP_C::lp_under_pin && LP_C::lp_under_pin() ? stdout : stderr;
    std::fprintf(to, "%s: tool: %s\n", kind, text.c_str());
    std::fflush(to);
}
LP_NORETURN inline VOID LP_KnobDies(const std::string &text)
{
    LP_KnobSays("A", text);
    std::fflush(0);
    _exit(1);
}

class KNOB_BASE;
LP_LOCAL inline KNOB_BASE *&LP_KnobHead()
{
    static KNOB_BASE *head;
    return head;
}

class KNOB_BASE
{
  public:
    KNOB_BASE(const std::string &prefix, const std::string &family, const std::string &name, const std::string &default_value, const std::string &purpose, KNOB_MODE mode)
        : _mode(mode), _prefix(prefix), _family(family), _name(name), _default(default_value), _purpose(purpose), _enabled(true), _set(false), _next(0)
    {
        KNOB_BASE **at = &LP_KnobHead();
        while (*at && (*at)->Compare(*this) <= 0)
            at = &(*at)->_next;
        _next = *at;
        *at = this;
    }
    virtual ~KNOB_BASE()
    {
        for (KNOB_BASE **at = &LP_KnobHead(); *at; at = &(*at)->_next)
            if (*at == this) {
                *at = _next;
                return;
            }
    }

    const std::string &Name() const { return _name; }
    const std::string &Family() const { return _family; }
    const std::string &Purpose() const { return _purpose; }
    const std::string &DefaultValue() const { return _default; }
    KNOB_MODE Mode() const { return _mode; }
    BOOL Enabled() const { return _enabled; }
    BOOL SetByUser() const { return _set; }
    VOID TurnOnSetByUser() { _set = true; }
    /* What the user types. */
    std::string Cmd() const { return "-" + _prefix + _name; }
    /* The tool's own come first, then those of the parts that it uses, by family. */
    int Compare(const KNOB_BASE &o) const
    {
        bool own = _family == "pintool", others_own = o._family == "pintool";
        int c = own != others_own ? (own ? -1 : 1) : _family.compare(o._family);
        return c ? c : _name.compare(o._name);
    }
    virtual BOOL AddValue(const std::string &text) = 0;
    virtual UINT32 NumberOfValues() const = 0;
    virtual const std::string &ValueString(const UINT32 i) const = 0;
    virtual const std::string Type() = 0;
    virtual BOOL IsFlag() const = 0; /* may stand alone */

    static KNOB_BASE *FindKnob(const std::string &name) { return Find(name, false); }
    static KNOB_BASE *FindEnabledKnob(const std::string &name) { return Find(name, true); }
    static KNOB_BASE *FindFamily(const std::string &family)
    {
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            if (k->_family == family)
                return k;
        return 0;
    }
    static UINT32 NumberOfKnobs()
    {
        UINT32 n = 0;
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            n++;
        return n;
    }
    /* What the user can type. */
    static std::vector<std::string> Commands()
    {
        std::vector<std::string> all;
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            if (k->_enabled && k->_mode != KNOB_MODE_COMMENT)
                all.push_back(k->Cmd());
        return all;
    }
    static VOID EnableKnob(const std::string &name) { Enable(name, true, true); }
    static VOID DisableKnob(const std::string &name) { Enable(name, true, false); }
    static VOID EnableKnobFamily(const std::string &family) { Enable(family, false, true); }
    static VOID DisableKnobFamily(const std::string &family) { Enable(family, false, false); }
    /* Two knobs of one name: which of them would get the value? It ends the process. */
    static VOID CheckAllKnobs(BOOL)
    {
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            for (KNOB_BASE *other = k->_next; other; other = other->_next)
                if (k->_mode != KNOB_MODE_COMMENT && other->_mode != KNOB_MODE_COMMENT && k->Cmd() == other->Cmd() && !k->IsStandard() && !other->IsStandard())
                    LP_KnobDies("CheckAllKnobs: duplicate option " + k->Cmd());
    }
    static VOID SetParsingDone() { Said(0) = true; }
    static BOOL WasParsingDone() { return Said(0); }
    /* There are no knobs for developers only. */
    static VOID SetDeveloperFlagsEnabled() { Said(1) = true; }
    static BOOL WasDeveloperFlagsEnabled() { return Said(1); }

    static std::string StringKnobSummary() { return Summary(false); }
    static std::string StringLongAll() { return Summary(true); }

  protected:
    KNOB_MODE _mode;
    std::string _prefix, _family, _name, _default, _purpose;
    BOOL _enabled, _set;

  private:
    BOOL IsStandard() const { return _family == "supported:pintool"; } /* a tool may have its own in its place */
    static BOOL &Said(int what)
    {
        static BOOL said[2];
        return said[what];
    }
    KNOB_BASE(const KNOB_BASE &);
    KNOB_BASE &operator=(const KNOB_BASE &);

    /* In names - and _ are one. */
    static std::string Plain(std::string name)
    {
        for (size_t i = 0; i < name.size(); i++)
            if (name[i] == '-')
                name[i] = '_';
        return name;
    }
    static KNOB_BASE *Find(const std::string &name, BOOL enabled_only)
    {
        std::string plain = Plain(name);
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            if (k->_mode != KNOB_MODE_COMMENT && Plain(k->_prefix + k->_name) == plain && (k->_enabled || !enabled_only))
                return k;
        return 0;
    }
    static VOID Enable(const std::string &what, BOOL by_name, BOOL on)
    {
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next)
            if ((by_name ? k->_name : k->_family) == what)
                k->_enabled = on;
    }
    static std::string Summary(BOOL with_values)
    {
        std::string out;
        if (LP_Mistaken()) /* the mistake is told last, and alone */
            return out;
        for (KNOB_BASE *k = LP_KnobHead(); k; k = k->_next) {
            if (!k->_enabled)
                continue;
            if (k->_mode == KNOB_MODE_COMMENT) {
                out += k->_default + "\n";
                continue;
            }
            out += k->Cmd() + "  [default " + k->_default + "]";
            if (with_values)
                out += " (" + k->Type() + ", now " + k->ValueString(0) + ")";
            out += "\n\t" + k->_purpose + "\n";
        }
        return out;
    }
    KNOB_BASE *_next;
};

/* --- one knob -------------------------------------------------------------------------------------------------------------------------------------- */
template <typename TYPE> class KNOB : public KNOB_BASE
{
  public:
    KNOB(KNOB_MODE mode, const std::string &family, const std::string &name, const std::string &default_value, const std::string &purpose, const std::string &prefix = "")
        : KNOB_BASE(prefix, family, name, default_value, purpose, mode), _default_value()
    {
        LP_Read(default_value, &_default_value);
    }
    /* The value, or the first of several; the default as long as the user has given none. */
    const TYPE &Value() const { return _values.empty() ? _default_value : *_values[0].value; }
    const TYPE &Value(const UINT32 i) const { return i < _values.size() ? *_values[i].value : _default_value; }
    const std::string &ValueString() const { return ValueString(0); }
    const std::string &ValueString(const UINT32 i) const { return i < _values.size() ? _values[i].text : _default; }
    /* How many the user has given. */
    UINT32 NumberOfValues() const { return static_cast<UINT32>(_values.size()); }
    operator TYPE() const { return Value(); }
    const std::string Type() { return LP_KnobType<TYPE>::Name(); }
    BOOL IsFlag() const { return LP_KnobType<TYPE>::is_flag; }

    BOOL AddValue(const std::string &text)
    {
        TYPE v = TYPE();
        if (_mode == KNOB_MODE_WRITEONCE && !_values.empty())
            return _values[0].text == text; /* the same again says nothing new */
        if (!LP_Read(text, &v))
            return false;
        _set = true;
        if (_values.empty() || _mode == KNOB_MODE_APPEND) {
            _values.push_back(Item(text, v));
        } else if (_mode == KNOB_MODE_ACCUMULATE) {
            LP_Accumulate(_values[0].value, v);
            _values[0].text += "," + text;
        } else {
            _values[0] = Item(text, v);
        }
        return true;
    }

  private:
    /* By pointer, so that Value() is a reference for bool, too, and stays good. */
    struct Item {
        Item(const std::string &t, const TYPE &v) : text(t), value(new TYPE(v)) {}
        std::string text;
        TYPE *value;
    };
    TYPE _default_value;
    std::vector<Item> _values;
};

/* A line in the summary. */
class KNOB_COMMENT : public KNOB_BASE
{
  public:
    KNOB_COMMENT(const std::string &family, const std::string &text) : KNOB_BASE("", family, "", text, "", KNOB_MODE_COMMENT) {}
    BOOL AddValue(const std::string &) { return false; }
    UINT32 NumberOfValues() const { return 0; }
    const std::string &ValueString(const UINT32) const { return _default; }
    const std::string Type() { return "comment"; }
    BOOL IsFlag() const { return false; }
};

/* --- the command line ------------------------------------------------------------------------------------------------------------------------------ */
/* Options that every tool has. */
struct LP_StandardKnobs {
    LP_StandardKnobs()
        : logfile(KNOB_MODE_WRITEONCE, "supported:pintool", "logfile", "pintool.log", "the tool's log file"),
          unique_logfile(KNOB_MODE_WRITEONCE, "supported:pintool", "unique_logfile", "0", "the log file's name gets the process id"),
          short_name(KNOB_MODE_WRITEONCE, "supported:pintool", "short_name", "0", "a routine has the shortest of its names"),
          dwarf_file(KNOB_MODE_APPEND, "supported:pintool", "dwarf_file", "", "IMAGE:FILE, the file with an image's debug information")
    {
    }
    KNOB<std::string> logfile;
    KNOB<BOOL> unique_logfile;
    KNOB<BOOL> short_name;          // the engine looks for these two itself
    KNOB<std::string> dwarf_file;
};
LP_LOCAL inline LP_StandardKnobs &LP_Standard()
{
    static LP_StandardKnobs knobs;
    return knobs;
}

#define LP_TWICE " given twice: trying to overwrite write-once knob"
/* The engine tells it after all that the tool prints. Under the command pin it is told at once, where Pin tells it; so does a tool that runs by itself, without the engine. */
inline BOOL LP_KnobMistake(const std::string &text)
{
    BOOL by_engine = LP_C::lp_option_mistake != 0 && !(LP_C::lp_under_pin && LP_C::lp_under_pin());
    LP_Mistaken() = by_engine;
    if (by_engine)
        LP_C::lp_option_mistake(text.c_str());
    else
        LP_KnobSays("E", text);
    return false;
}

inline BOOL LP_KnobUnknown(const std::string &word)
{
    std::vector<std::string> names = KNOB_BASE::Commands();
    std::vector<const CHAR *> list;
    for (size_t i = 0; i < names.size(); i++)
        list.push_back(names[i].c_str());
    if (LP_C::lp_option_near) {
        const CHAR *name = LP_C::lp_option_near(word.c_str(), list.empty() ? 0 : &list[0], static_cast<UINT32>(list.size()));
        if (name)
            return LP_KnobMistake("unknown option " + word + ": did you mean " + name + "?");
    }
    return LP_KnobMistake("unknown option " + word);
}

/* One option at *i; FALSE: a mistake, told to the user. */
inline BOOL LP_KnobTake(INT32 argc, CHAR **argv, INT32 *i, BOOL lenient)
{
    std::string word = argv[*i];
    KNOB_BASE *k = word.size() > 1 && word[0] == '-' ? KNOB_BASE::FindEnabledKnob(word.substr(1)) : 0;
    if (!k && LP_C::lp_option_ignored) {
        UINT32 ignored = LP_C::lp_option_ignored(word.c_str());
        std::string next = *i + 1 < argc ? argv[*i + 1] : "";
        if (*i + 1 < argc && (ignored == 2 || (ignored && (next == "0" || next == "1"))))
            ++*i;
        if (ignored)
            return true;
    }
    if (!k && lenient) {
        while (*i + 1 < argc && argv[*i + 1][0] != '-') /* its value, if it has one */
            ++*i;
        return true;
    }
    if (!k)
        return LP_KnobUnknown(word);
    if (k->IsFlag()) {
        bool v;
        BOOL has_value = *i + 1 < argc && argv[*i + 1][0] != '-' && argv[*i + 1][0] && LP_Read(argv[*i + 1], &v);
        std::string value = has_value ? argv[++*i] : "1";
        return k->AddValue(value) || LP_KnobMistake("option " + word + LP_TWICE);
    }
    if (*i + 1 >= argc)
        return LP_KnobMistake("option " + word + " needs a value");
    std::string value = argv[++*i];
    if (k->AddValue(value))
        return true;
    BOOL twice = k->Mode() == KNOB_MODE_WRITEONCE && k->NumberOfValues();
    return LP_KnobMistake(twice ? "option " + word + LP_TWICE : "option " + word + ": '" + value + "' is not a " + k->Type());
}

/* The words between `-t TOOL` and `--`. TRUE: right; FALSE: a mistake or a call for help. */
inline BOOL LP_KnobParse(INT32 argc, CHAR **argv)
{
    INT32 end = 1, i;
    LP_Standard();
    KNOB_BASE::CheckAllKnobs(false);
    while (end < argc && std::string(argv[end]) != "--")
        end++;
    for (i = 1; i < end && std::string(argv[i]) != "-t"; i++)
        ;
    i = i < end ? i + 2 : 1; /* without -t: a stand-alone tool, all words are its own */
    BOOL lenient = false;
    for (; i < end; i++) {
        std::string word = argv[i];
        if ((word == "-help" || word == "-h" || word == "--help") && !KNOB_BASE::FindEnabledKnob(word.substr(1))) {
            if (LP_C::lp_option_mistake)
                LP_C::lp_option_mistake(0);
            return false;
        }
        if (word == "-xyzzy")
            lenient = true;
        else if (!LP_KnobTake(end, argv, &i, lenient))
            return false;
    }
    KNOB_BASE::SetParsingDone();
    return true;
}

} // namespace LEVEL_BASE
#endif
