/** The application's database: which data source contains the tables of the delay queue, and how they are created. */
@NullMarked
package io.delayqueue.jdbc;

import org.jspecify.annotations.NullMarked;
