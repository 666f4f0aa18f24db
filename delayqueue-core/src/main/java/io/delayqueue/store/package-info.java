/**
 * The state machine of a message. One Lua script per operation implements it; the scripts are resources of the
 * subpackage {@code script}. Each script is atomic for other clients and safe to run twice.
 *
 * <pre>
 *                    send
 *                     │
 *                     ▼          claim (due ≤ now)
 * reschedule,  ┌─► SCHEDULED ──────────────────────────► LEASED ── acknowledge ─► (gone)
 * replace      └──┘   ▲ ▲  │                            │  │ │
 *                     │ │  └─ expired ─────────┐        │  │ ├─ dead-letter, attempts spent, expired ─┐
 *                     │ └─ retry, postpone ────┼────────┘  │ │                                 │
 *                     ├── reclaim: lease ended ┼───────────┘ │                                 ▼
 *                     ├── release: unstarted ──┼─────────────┘                               DEAD ── purge ─► (gone)
 *                     │                        └─────────────────────────────────────────────► │
 *                     └────────────────────────── replay ──────────────────────────────────────┘
 * </pre>
 *
 * <p>A message is live if the hash of messages has it. A live message is in the schedule or among the leases. It is in
 * both only if a script stopped midway, and then counts as scheduled. If the schedule or the leases have an id without
 * a message, the next poll that reads the id removes it. The token of a delivery is {@code -} while the message is not
 * leased.
 *
 * <p>A {@link io.delayqueue.store.ShardSession} is the only client of the poll script ({@code poll.lua}) for one
 * consumer on one shard. It holds the consumer's name, the sequence of its polls, the poll in progress, Redis' clock, and the
 * waiting settlements. The poller of a listener adds renewals and a claim budget; the poller of receivers adds the
 * waiting receivers. Both decide when to poll.
 *
 * <p>Used by {@code template}, {@code container} and higher layers. Read next:
 * {@link io.delayqueue.store.MessageStore}, {@code poll.lua}, {@code send.lua}.
 */
@Internal
@NullMarked
package io.delayqueue.store;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
