/**
 * The state machine of a message, and the Lua that is it. One script per verb lies beside these classes, among the
 * resources; each is atomic as seen by others and safe to run twice.
 *
 * <pre>
 *                    send
 *                     │
 *                     ▼          claim (due ≤ now)
 * reschedule,  ┌─► SCHEDULED ──────────────────────────► LEASED ── acknowledge ─► (gone)
 * replace      └──┘   ▲ ▲  │                            │  │ │
 *                     │ │  └─ expired ─────────┐        │  │ ├─ bury, attempts spent, expired ─┐
 *                     │ └───── retry(delay) ───┼────────┘  │ │                                 │
 *                     ├── reclaim: lease over ─┼───────────┘ │                                 ▼
 *                     ├── release: unstarted ──┼─────────────┘                               DEAD ── purge ─► (gone)
 *                     │                        └─────────────────────────────────────────────► │
 *                     └────────────────────────── replay ──────────────────────────────────────┘
 * </pre>
 *
 * <p>A message is live if the hash of messages holds it; it then stands in the schedule or among the leases. Only
 * where a script stopped midway may it stand in both, and then it counts as scheduled. An id in the schedule or among
 * the leases without a message is swept by the next step that meets it. A delivery's token is {@code -} while nobody
 * holds it.
 *
 * <p>Row 2. Read next: {@link io.delayqueue.store.MessageStore}, {@code step.lua}, {@code send.lua}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
