/** What the transactional outbox costs a commit on PostgreSQL. */
@NullMarked
package io.delayqueue.benchmark.outbox;

import org.jspecify.annotations.NullMarked;
