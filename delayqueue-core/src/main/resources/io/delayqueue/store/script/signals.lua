-- fragment: signals of the queue whose schedule is KEYS[1], see SignalSource. gives: signal(kind, rest, part): kind is 'h',
-- 's' or 'r', part a further part of the queue's name, if any
local function signal(kind, rest, part)
  local namespace, tag, notifications = string.match(KEYS[1], '^(.-):{(.-)}:(n?)')
  local name = tag .. (part or notifications == 'n' and ':notifications' or '')
  redis.pcall('PUBLISH', namespace .. ':signals', kind .. ' ' .. name .. ' ' .. rest)
end
