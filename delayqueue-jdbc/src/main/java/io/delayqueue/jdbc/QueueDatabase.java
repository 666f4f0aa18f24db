package io.delayqueue.jdbc;

import io.delayqueue.Internal;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.support.MetaDataAccessException;

/** The database that contains the tables of the delay queue. Thread-safe. Connects when it is first used. */
@Internal
public final class QueueDatabase {

    private final DataSource dataSource;
    private volatile @Nullable SqlDialect dialect;

    /** Creates it. */
    public QueueDatabase(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** The data source. */
    public DataSource dataSource() {
        return dataSource;
    }

    /**
     * The database's dialect of SQL.
     *
     * @throws UnsupportedDatabaseException if there is no SQL for it
     * @throws DataAccessResourceFailureException if the database is unavailable
     */
    public SqlDialect dialect() {
        SqlDialect known = dialect;
        if (known == null) {
            try {
                known = SqlDialect.of(dataSource);
            } catch (MetaDataAccessException e) {
                throw new DataAccessResourceFailureException("The database is unavailable: " + e.getMessage(), e);
            }
            dialect = known;
        }
        return known;
    }
}
