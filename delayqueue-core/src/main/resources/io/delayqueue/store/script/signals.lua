-- fragment: signals of the queue. gives: signal(kind, what follows, further part of the queue's name)
local function signal(kind, rest, part)
  local namespace, tag, notifications = string.match(KEYS[1], '^(.-):{(.-)}:(n?)')
  local name = tag .. (part or notifications == 'n' and ':notifications' or '')
  redis.pcall('PUBLISH', namespace .. ':signals', kind .. ' ' .. name .. ' ' .. rest)
end
