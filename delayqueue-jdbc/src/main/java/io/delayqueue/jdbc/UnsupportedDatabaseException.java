package io.delayqueue.jdbc;

import io.delayqueue.Internal;

/** The database is none for which delayqueue-jdbc has SQL. */
@Internal
public final class UnsupportedDatabaseException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    UnsupportedDatabaseException(String product) {
        super("delayqueue-jdbc supports PostgreSQL, MySQL, MariaDB, Oracle, SQL Server and H2, but the database is "
                + product);
    }
}
