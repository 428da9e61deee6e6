-- SPDX-License-Identifier: Apache-2.0
-- Plain Lua that all versions run: closures, coroutines, metatables, string matching, numbers, errors, the collector.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(25))
local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i * i) end return "end" end)
for _ = 1, 6 do io.write(tostring(co()), " ") end
print()
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({ n = a.n + b.n }, V) end
local sum = setmetatable({ n = 0 }, V)
for i = 1, 200000 do sum = sum + setmetatable({ n = i % 3 }, V) end
print(sum.n)
local t = {}
local s = 7
for i = 1, 50000 do s = (s * 16807) % 2147483647; t[i] = s end
table.sort(t)
print(t[1], t[25000], t[50000])
print(("the quick brown fox"):gsub("%w+", function(w) return w:reverse() end))
print(pcall(error, { code = 1 }) == false, select(2, pcall(function() local x = nil; return x.y end)) ~= nil)
local x = 0.0
for i = 1, 300000 do x = x + math.sin(i) * math.sqrt(i) end
print(string.format("%.6f", x))
local words = {}
for i = 1, 20000 do words[#words + 1] = string.char(97 + i % 26) .. i end
print(#table.concat(words), collectgarbage("count") > 0)
