-- fragment: the keys of a queue. gives: scheduleKey, leasesKey, messagesKey, deliveriesKey, metaKey
local scheduleKey, leasesKey, messagesKey, deliveriesKey, metaKey = unpack(KEYS, 1, 5)
