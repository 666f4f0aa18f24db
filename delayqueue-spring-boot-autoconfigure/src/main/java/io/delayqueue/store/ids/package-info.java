/**
 * Ids that are live in one topic at most, and found without it: an index from an id to the topics in which it may be live,
 * and the order of steps that keeps it right where the index and the topics lie on different servers.
 *
 * <p>A message is live under an id only in a topic that stands in the id's entry, which is written before. Of several
 * pushes of an id the one with the greatest number wins; each number is greater than those before, and goes with the
 * message as its nonce, so that whoever comes late neither replaces nor cancels what is newer.
 *
 * <p>Row 2. Read next: {@link io.delayqueue.store.ids.UniqueIds}, {@code entry.lua}, {@code enter.lua}.
 */
@NullMarked
package io.delayqueue.store.ids;

import org.jspecify.annotations.NullMarked;
