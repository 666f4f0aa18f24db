-- fragment: the field polled of meta, see keys.lua. needs: polledText. gives: polledAt (nil if unknown), jumped, behind
local polledAt, jumped, behind = tonumber(polledText), 0, 0
if polledText and not polledAt then
  polledAt, jumped, behind = string.match(polledText, '^(%d+) (%-?%d+) (%d+)$')
  polledAt, jumped, behind = tonumber(polledAt), tonumber(jumped) or 0, tonumber(behind) or 0
end
