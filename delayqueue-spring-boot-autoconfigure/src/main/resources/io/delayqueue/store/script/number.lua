-- fragment: nonces that are numbers: 'n' and sixteen digits. Whoever keeps an id in one topic only (store.ids) numbers its
-- sends in their order.

-- the digits of the nonce in a message's first line, which begins at a byte; nil if it isn't such a one
local function numberAt(text, at)
  return string.match(text, '^%+?n(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)[ \n]', at)
end
