/* SPDX-License-Identifier: Apache-2.0
 * Messages of C++ tools: LOG, PIN_ERROR, ASSERT and their kin. To standard error, to the tool's log file (-logfile, opened when first written), or both. Header only. */
#ifndef LINCHPIN_MESSAGES_HPP
#define LINCHPIN_MESSAGES_HPP
#include "api_text.h"
#include "knob.hpp"

#include <sys/time.h>
#include <unistd.h>

namespace LP_C {
extern "C" VOID lp_record_error(INT32 type, INT32 fatal, const char *text) __attribute__((weak));
}

namespace LEVEL_BASE {

class LOGFILE
{
  public:
    LOGFILE() : _file(0) {}
    VOID Open(const CHAR *name, BOOL unique)
    {
        Close();
        std::string path = unique ? std::string(name) + "." + decstr(static_cast<INT32>(getpid())) : name;
        _file = std::fopen(path.c_str(), "we");
        if (!_file)
            std::fprintf(stderr, "E: tool: cannot open the log file %s: %s\n", path.c_str(), std::strerror(errno));
    }
    VOID Close()
    {
        if (_file)
            std::fclose(_file);
        _file = 0;
    }
    BOOL IsOpen() const { return _file != 0; }
    /* Over what is there, from that byte on; the next Write goes to the end again. */
    VOID WriteAtPosition(const CHAR *text, size_t bytes, size_t position)
    {
        if (!_file || std::fseek(_file, static_cast<long>(position), SEEK_SET))
            return;
        Write(text, bytes);
        std::fseek(_file, 0, SEEK_END);
    }
    VOID Write(const std::string &text) { Write(text.data(), text.size()); }
    VOID Write(const CHAR *text, size_t bytes)
    {
        if (!_file)
            return;
        std::fwrite(text, 1, bytes, _file);
        std::fflush(_file);
    }

  private:
    FILE *_file;
};

LP_LOCAL inline LOGFILE &LP_Log()
{
    static LOGFILE file;
    if (!file.IsOpen())
        file.Open(LP_Standard().logfile.Value().c_str(), LP_Standard().unique_logfile.Value());
    return file;
}

typedef BOOL (*MESSAGE_CALLBACK)(const std::string &text, PIN_ERRTYPE type, INT32 user_type, INT32 severity, INT32 args, va_list ap);

/* What a tool has registered; one for all kinds. */
struct LP_MessageHooks {
    MESSAGE_CALLBACK message;
    VOID (*on_panic)();
    VOID (*terminate)();
    BOOL terminating;
};
LP_LOCAL inline LP_MessageHooks &LP_Hooks()
{
    static LP_MessageHooks hooks;
    return hooks;
}
class MESSAGE_TYPE;
LP_LOCAL inline MESSAGE_TYPE *&LP_MessageHead()
{
    static MESSAGE_TYPE *head;
    return head;
}

/* A kind of message: its letter, whether it is on, whether it ends the process. */
class MESSAGE_TYPE
{
  public:
    MESSAGE_TYPE(const std::string &name, const std::string &prefix, BOOL on, BOOL, BOOL exits, BOOL, LOGTYPE where, const std::string &purpose)
        : _name(name), _prefix(prefix), _purpose(purpose), _on(on), _exits(exits), _where(where), _next(LP_MessageHead())
    {
        LP_MessageHead() = this;
    }
    ~MESSAGE_TYPE()
    {
        for (MESSAGE_TYPE **at = &LP_MessageHead(); *at; at = &(*at)->_next)
            if (*at == this) {
                *at = _next;
                return;
            }
    }
    /* By name; FALSE: there is none. */
    static MESSAGE_TYPE *Find(const std::string &name)
    {
        for (MESSAGE_TYPE *m = LP_MessageHead(); m; m = m->_next)
            if (m->_name == name)
                return m;
        return 0;
    }
    static BOOL Enable(const std::string &name) { return Switch(Find(name), true); }
    static BOOL Disable(const std::string &name) { return Switch(Find(name), false); }
    static UINT32 Number()
    {
        UINT32 n = 0;
        for (MESSAGE_TYPE *m = LP_MessageHead(); m; m = m->_next)
            n++;
        return n;
    }
    static std::string StringLongAll()
    {
        std::string out;
        for (MESSAGE_TYPE *m = LP_MessageHead(); m; m = m->_next)
            out += m->_name + (m->_on ? "  on" : "  off") + (m->_purpose.empty() ? "" : "  " + m->_purpose) + "\n";
        return out;
    }
    static std::string GetLogFileName() { return LP_Standard().logfile.Value(); }
    static VOID RegisterLogFile(const std::string &name, BOOL unique = false) { LP_Log().Open(name.c_str(), unique); }
    /* Errors go to standard error and the log. */
    static BOOL ErrorFileSpecified() { return false; }
    static BOOL IsTerminating() { return LP_Hooks().terminating; }
    /* Sees every message first; FALSE: it is not written. The terminate function is called before a message ends the process, the panic function before that after an assertion. */
    static VOID RegisterMessageCallBack(MESSAGE_CALLBACK fun) { LP_Hooks().message = fun; }
    static VOID UnregisterMessageCallBack() { LP_Hooks().message = 0; }
    static MESSAGE_CALLBACK MessageCallBack() { return LP_Hooks().message; }
    static VOID RegisterPanicCallBack(VOID (*fun)()) { LP_Hooks().on_panic = fun; }
    static VOID RegisterTerminateCallBack(VOID (*fun)()) { LP_Hooks().terminate = fun; }
    LP_NORETURN static VOID PrintMessageAndExit(const char *prefix, const char *text, PIN_ERRTYPE = PIN_ERR_UNCATEGORIZED, INT32 = 0, ...)
    {
        std::fprintf(stderr, "%s%s\n", prefix, text);
        Terminate(false);
    }
    BOOL on() const { return _on; }
    VOID enable() { _on = true; }
    VOID disable() { _on = false; }
    int Compare(const MESSAGE_TYPE &o) const { return _name.compare(o._name); }
    VOID Message(const std::string &text, BOOL prefix = true, PIN_ERRTYPE type = PIN_ERR_NONE, INT32 args = 0, ...)
    {
        va_list ap;
        va_start(ap, args);
        BOOL write = !LP_Hooks().message || LP_Hooks().message(text, type, 0, _exits ? PIN_ERR_FATAL : PIN_ERR_NONFATAL, args, ap);
        va_end(ap);
        if (write)
            Write(text, prefix);
        if (_prefix[0] == 'E' || _prefix[0] == 'A')
            LP_Record(text, type, _exits);
        if (_exits)
            Terminate(_prefix == "A: ");
    }
    LP_NORETURN VOID MessageNoReturn(const std::string &text, BOOL prefix = true, PIN_ERRTYPE type = PIN_ERR_UNCATEGORIZED, INT32 = 0, ...)
    {
        Message(text, prefix, type);
        Terminate(_prefix == "A: ");
    }

  private:
    /* Into the file of -error_file, if the engine is there and has one. */
    static VOID LP_Record(const std::string &text, PIN_ERRTYPE type, BOOL fatal)
    {
        if (LP_C::lp_record_error)
            LP_C::lp_record_error(type, fatal, text.c_str());
    }
    static BOOL Switch(MESSAGE_TYPE *m, BOOL on)
    {
        if (m)
            m->_on = on;
        return m != 0;
    }
    LP_NORETURN static VOID Terminate(BOOL is_panic)
    {
        LP_MessageHooks &hooks = LP_Hooks();
        BOOL again = hooks.terminating; /* a hook has failed itself */
        hooks.terminating = true;
        if (is_panic && hooks.on_panic && !again)
            hooks.on_panic();
        if (hooks.terminate && !again)
            hooks.terminate();
        PIN_ExitProcess(1);
    }
    VOID Write(const std::string &text, BOOL prefix)
    {
        std::string line = prefix ? _prefix + text : text;
        if (line.empty() || line[line.size() - 1] != '\n')
            line += _where == LOGTYPE_LOGFILE ? "" : "\n";
        if (_where != LOGTYPE_LOGFILE)
            std::fwrite(line.data(), 1, line.size(), stderr);
        if (_where != LOGTYPE_CONSOLE)
            LP_Log().Write(line);
    }

    std::string _name, _prefix, _purpose;
    BOOL _on, _exits;
    LOGTYPE _where;
    MESSAGE_TYPE *_next;
};

/* Cannot be switched off. */
class MESSAGE_TYPE_ALWAYS_ON : public MESSAGE_TYPE
{
  public:
    MESSAGE_TYPE_ALWAYS_ON(const std::string &name, const std::string &prefix, BOOL prefix_too, BOOL exits, BOOL is_error, LOGTYPE where, const std::string &purpose)
        : MESSAGE_TYPE(name, prefix, true, prefix_too, exits, is_error, where, purpose)
    {
    }
    BOOL on() const { return true; }
};

#define LP_MESSAGE_TYPE(function, letter, on, exits, where)                                                                         \
    LP_LOCAL inline MESSAGE_TYPE &function()                                                                                        \
    {                                                                                                                               \
        static MESSAGE_TYPE type(#function, letter, on, true, exits, false, where, "");                                             \
        return type;                                                                                                                \
    }
LP_MESSAGE_TYPE(LP_MessageLog, "", true, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageInfo, "I: ", true, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageStats, "S: ", false, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageDebug, "D: ", false, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessagePhase, "P: ", false, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageKnown, "K: ", false, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageOpportunity, "O: ", false, false, LOGTYPE_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageConsole, "C: ", true, false, LOGTYPE_CONSOLE)
LP_MESSAGE_TYPE(LP_MessageWarning, "W: ", true, false, LOGTYPE_CONSOLE_AND_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageNonFatal, "E: ", true, false, LOGTYPE_CONSOLE_AND_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageError, "E: ", true, true, LOGTYPE_CONSOLE_AND_LOGFILE)
LP_MESSAGE_TYPE(LP_MessageAssert, "A: ", true, true, LOGTYPE_CONSOLE_AND_LOGFILE)

inline std::string AssertString(const char *file, const char *function, unsigned int line, const std::string &text)
{
    return std::string(file) + ": " + function + ": " + decstr(line) + ": " + text;
}

LP_NORETURN inline VOID LP_NoNumber(const std::string &why) { LP_MessageError().MessageNoReturn(why); }

} // namespace LEVEL_BASE

#define LP_SAY(type, text) do { if (LEVEL_BASE::LP_Message##type().on()) LEVEL_BASE::LP_Message##type().Message(text); } while (0)
#define LOG(text) LP_SAY(Log, text)
#define INFO(text) LP_SAY(Info, text)
#define STATS(text) LP_SAY(Stats, text)
#define PIN_DEBUG(text) LP_SAY(Debug, text)
#define PHASE(text) LP_SAY(Phase, text)
#define KNOWN(text) LP_SAY(Known, text)
#define OPPORTUNITY(text) LP_SAY(Opportunity, text)
#define CONSOLE(text) LP_SAY(Console, text)
#define CONSOLE_NOPREFIX(text) LEVEL_BASE::LP_MessageConsole().Message(text, false)
#define WARNING(text) LP_SAY(Warning, text)
#define PIN_NON_FATAL_ERROR(text) LP_SAY(NonFatal, text)
#define PIN_ERROR(text) LEVEL_BASE::LP_MessageError().MessageNoReturn(text)
#define PIN_FATAL_ERROR(text) PIN_ERROR(text)
#define PIN_CRITICAL_ERROR(text) PIN_ERROR(text)
#define PIN_ERROR_DEBUGGER(text) LEVEL_BASE::LP_MessageError().MessageNoReturn(text, true, PIN_ERR_DEBUGGER)
#define PIN_OUT_OF_MEMORY(text) PIN_ERROR(text)
/* Assertions are always on. */
#define LP_ASSERT_FAIL(text) LEVEL_BASE::LP_MessageAssert().MessageNoReturn(LEVEL_BASE::AssertString(__FILE__, __FUNCTION__, __LINE__, std::string() + text)) /* "a" + p is a text, too */
#define ASSERT(condition, text) do { if (!(condition)) LP_ASSERT_FAIL(text); } while (0)
#define ASSERTX(condition) do { if (!(condition)) LP_ASSERT_FAIL("assertion failed: " #condition "\n"); } while (0)
#define ASSERTQ(text) LP_ASSERT_FAIL(text)
#define NYI() LP_ASSERT_FAIL("not implemented\n")

#endif
