/**
 * The application's database: which data source contains the tables of the delay queue, and how they are created. The
 * subpackage {@code outbox} stores messages until Redis has them, the subpackage {@code once} has the idempotent
 * listeners. Read next: {@code docs/transactions.md}.
 */
@NullMarked
package io.delayqueue.jdbc;

import org.jspecify.annotations.NullMarked;
