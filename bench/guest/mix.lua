-- SPDX-License-Identifier: Apache-2.0
-- Benchmark workload: tables, closures, strings, floating point, metatables. Argument: rounds.
local rounds = tonumber(arg[1])
local state = 42
local function rnd(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state % n
end

local Vec = {}
Vec.__index = Vec
Vec.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Vec) end
function Vec:norm() return self.x * self.x + self.y * self.y end

local function bodies(steps)
  local p, v = { 0.0, 1.5, -2.0 }, { 0.1, -0.2, 0.05 }
  for _ = 1, steps do
    for i = 1, 3 do
      for j = 1, 3 do
        if i ~= j then
          local d = p[i] - p[j]
          v[i] = v[i] - 0.001 * d / (d * d + 0.01) ^ 1.5
        end
      end
    end
    for i = 1, 3 do p[i] = p[i] + 0.001 * v[i] end
  end
  return p[1] + p[2] + p[3]
end

local function permute(a, n, fn)
  if n == 0 then return fn(a) end
  for i = 1, n do
    a[n], a[i] = a[i], a[n]
    permute(a, n - 1, fn)
    a[n], a[i] = a[i], a[n]
  end
end

local check = 0
for round = 1, rounds do
  local t = {}
  for i = 1, 20000 do t[i] = rnd(1000000) end
  table.sort(t)
  local sum = setmetatable({ x = 0, y = 0 }, Vec)
  for i = 1, 5000 do sum = sum + setmetatable({ x = i % 7, y = t[i] % 5 }, Vec) end
  local words = {}
  for i = 1, 3000 do words[i] = string.format("%x%s", t[i], string.rep("ab", i % 4)) end
  local text = table.concat(words, " ")
  local n = select(2, text:gsub("(%x+)ab", "%1"))
  local swaps = 0
  permute({ 1, 2, 3, 4, 5, 6, 7 }, 7, function(a) swaps = swaps + a[1] end)
  check = (check * 31 + n + swaps + sum:norm() + #text) % 4294967296
  check = (check + math.floor(bodies(3000) * 1e6)) % 4294967296
end
print(string.format("%d", check))
