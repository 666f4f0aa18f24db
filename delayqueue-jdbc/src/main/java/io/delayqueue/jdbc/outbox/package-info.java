/**
 * The outbox: a table in the application's database that stores messages until Redis has them.
 *
 * <p>{@link io.delayqueue.jdbc.outbox.JdbcOutbox} stores the messages of a transaction in it. After the commit, the
 * committing thread sends them at once if it may. {@link io.delayqueue.jdbc.outbox.OutboxRelay} deletes the rows of sent
 * messages and sends the messages that are left. {@link io.delayqueue.jdbc.outbox.OutboxTable} contains the SQL.
 */
@Internal
@NullMarked
package io.delayqueue.jdbc.outbox;

import io.delayqueue.Internal;
import org.jspecify.annotations.NullMarked;
