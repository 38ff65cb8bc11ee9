-- The launch of split-commits: a bit of each library.
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do
  words[#words + 1] = word:upper()
end
table.sort(words)
local count = setmetatable({}, { __index = function() return 0 end })
for _, word in ipairs(words) do
  count[#word] = count[#word] + 1
end
local squares = coroutine.wrap(function()
  for i = 1, 10 do
    coroutine.yield(i * i)
  end
end)
local sum = 0
for _ = 1, 10 do
  sum = sum + squares()
end
print(table.concat(words, " "), count[5], sum, math.floor(math.pi), pcall(error, "problem"))
print(string.format("%5.2f %s %q", 1 / 3, 7 // 2, "text"), load("return 1 + 1")(), os.time() > 0)
