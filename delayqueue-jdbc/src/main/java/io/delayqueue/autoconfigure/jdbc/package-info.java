/** Auto-configuration of the outbox and of idempotent listeners on the application's database. */
@NullMarked
package io.delayqueue.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
