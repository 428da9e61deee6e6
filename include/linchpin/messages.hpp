/* SPDX-License-Identifier: Apache-2.0
 * Messages of C++ tools: LOG, PIN_ERROR, ASSERT and their kin. To standard error, to the tool's log file (-logfile, opened when first written), or both. Header only. */
#ifndef LINCHPIN_MESSAGES_HPP
#define LINCHPIN_MESSAGES_HPP
#include "api_text.h"
#include "knob.hpp"

#include <sys/time.h>
#include <unistd.h>

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

/* A kind of message: its letter, whether it is on, whether it ends the process. */
class MESSAGE_TYPE
{
  public:
    MESSAGE_TYPE(const std::string &name, const std::string &prefix, BOOL on, BOOL, BOOL exits, BOOL, LOGTYPE where, const std::string &purpose)
        : _name(name), _prefix(prefix), _purpose(purpose), _on(on), _exits(exits), _where(where)
    {
    }
    BOOL on() const { return _on; }
    VOID enable() { _on = true; }
    VOID disable() { _on = false; }
    int Compare(const MESSAGE_TYPE &o) const { return _name.compare(o._name); }
    VOID Message(const std::string &text, BOOL prefix = true, PIN_ERRTYPE = PIN_ERR_NONE, INT32 = 0, ...)
    {
        std::string line = prefix ? _prefix + text : text;
        if (line.empty() || line[line.size() - 1] != '\n')
            line += _where == LOGTYPE_LOGFILE ? "" : "\n";
        if (_where != LOGTYPE_LOGFILE)
            std::fwrite(line.data(), 1, line.size(), stderr);
        if (_where != LOGTYPE_CONSOLE)
            LP_Log().Write(line);
        if (_exits)
            PIN_ExitProcess(1);
    }
    LP_NORETURN VOID MessageNoReturn(const std::string &text, BOOL prefix = true, PIN_ERRTYPE type = PIN_ERR_UNCATEGORIZED, INT32 = 0, ...)
    {
        Message(text, prefix, type);
        PIN_ExitProcess(1);
    }

  private:
    std::string _name, _prefix, _purpose;
    BOOL _on, _exits;
    LOGTYPE _where;
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
#define PIN_OUT_OF_MEMORY(text) PIN_ERROR(text)
/* Assertions are always on. */
#define LP_ASSERT_FAIL(text) LEVEL_BASE::LP_MessageAssert().MessageNoReturn(LEVEL_BASE::AssertString(__FILE__, __FUNCTION__, __LINE__, std::string() + text)) /* "a" + p is a text, too */
#define ASSERT(condition, text) do { if (!(condition)) LP_ASSERT_FAIL(text); } while (0)
#define ASSERTX(condition) do { if (!(condition)) LP_ASSERT_FAIL("assertion failed: " #condition "\n"); } while (0)
#define ASSERTQ(text) LP_ASSERT_FAIL(text)
#define NYI() LP_ASSERT_FAIL("not implemented\n")

#endif
