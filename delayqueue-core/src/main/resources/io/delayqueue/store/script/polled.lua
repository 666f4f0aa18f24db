-- fragment: the field polled of meta, see keys.lua. needs: polledText. gives: polledAt (text or nil), jumped, behind
local polledAt, jumped, behind = string.match(polledText or '', '^(%d+) ?(%-?%d*) ?(%d*)$')
jumped, behind = tonumber(jumped) or 0, tonumber(behind) or 0
