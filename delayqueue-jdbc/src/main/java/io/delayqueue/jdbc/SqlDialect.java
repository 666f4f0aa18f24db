package io.delayqueue.jdbc;

import io.delayqueue.Internal;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * The parts of SQL in which databases differ. Times are milliseconds since 1970 by the database's clock, so that no time
 * zone matters.
 */
@Internal
public enum SqlDialect {

    /** PostgreSQL. */
    POSTGRESQL("cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"),
    /** MySQL from version 8. */
    MYSQL("(timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(6)) div 1000)"),
    /** MariaDB from version 10.6. */
    MARIADB("(timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(6)) div 1000)"),
    /** H2 from version 2.2.220. Its clock stands still within a transaction. */
    H2("datediff(millisecond, timestamp with time zone '1970-01-01 00:00:00+00:00', current_timestamp)"),
    /** Oracle Database from version 12.2. */
    ORACLE(
            "(extract(day from (sys_extract_utc(systimestamp) - timestamp '1970-01-01 00:00:00')) * 86400000"
                    + " + extract(hour from (sys_extract_utc(systimestamp) - timestamp '1970-01-01 00:00:00')) * 3600000"
                    + " + extract(minute from (sys_extract_utc(systimestamp) - timestamp '1970-01-01 00:00:00')) * 60000"
                    + " + round(extract(second from (sys_extract_utc(systimestamp) - timestamp '1970-01-01 00:00:00')) * 1000))"),
    /** Microsoft SQL Server from version 2016. */
    SQLSERVER("datediff_big(millisecond, '1970-01-01', sysutcdatetime())");

    private final String now;

    SqlDialect(String now) {
        this.now = now;
    }

    /**
     * Determines the dialect of a database.
     *
     * @throws UnsupportedDatabaseException if the database is none of these
     * @throws MetaDataAccessException if the database cannot be asked
     */
    public static SqlDialect of(DataSource dataSource) throws MetaDataAccessException {
        String product = JdbcUtils.commonDatabaseName(
                JdbcUtils.extractDatabaseMetaData(dataSource, DatabaseMetaData::getDatabaseProductName));
        DatabaseDriver driver = DatabaseDriver.fromProductName(product);
        return switch (driver) {
            case POSTGRESQL -> POSTGRESQL;
            case MYSQL -> MYSQL;
            case MARIADB -> MARIADB;
            case H2 -> H2;
            case ORACLE -> ORACLE;
            case SQLSERVER -> SQLSERVER;
            default -> throw new UnsupportedDatabaseException(String.valueOf(product));
        };
    }

    /** The script that creates the tables, on the class path. */
    public String script() {
        return "io/delayqueue/jdbc/schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /** Whether a statement of the script failed because what it creates exists. The other databases' do not fail then. */
    public boolean saysItExists(SQLException failure) {
        return switch (this) {
            case ORACLE -> failure.getErrorCode() == 955 || failure.getErrorCode() == 1408;
            case SQLSERVER -> failure.getErrorCode() == 2714 || failure.getErrorCode() == 1913;
            default -> false;
        };
    }

    /** An expression for the present time in milliseconds since 1970. */
    public String now() {
        return now;
    }

    /** A query of the present time in milliseconds since 1970. */
    public String queryOfNow() {
        return "select " + now + (this == ORACLE ? " from dual" : "");
    }

    /**
     * A query of the first rows in the order of a column.
     *
     * @param columns what is selected
     * @param table the table, with the alias {@code o}
     * @param condition the condition
     * @param order the column
     * @param limit maximum number of rows. Oracle cannot limit a query that locks rows: the caller stops reading
     */
    public String first(String columns, String table, String condition, String order, int limit) {
        String query = columns + " from " + table + " o where " + condition + " order by o." + order;
        return switch (this) {
            case ORACLE, H2 -> "select " + query + fetchFirst(limit);
            case SQLSERVER -> "select top (" + limit + ") " + query;
            default -> "select " + query + " limit " + limit;
        };
    }

    /** Like {@link #first}, but locks the rows and skips those that another transaction has locked. */
    public String lockFirst(String columns, String table, String condition, String order, int limit) {
        String rest = " o where " + condition + " order by o." + order;
        return switch (this) {
            case ORACLE -> "select " + columns + " from " + table + rest + " for update skip locked";
            case SQLSERVER ->
                "select top (" + limit + ") " + columns + " from " + table
                        + " o with (updlock, rowlock, readpast) where " + condition + " order by o." + order;
            case H2 -> "select " + columns + " from " + table + rest + fetchFirst(limit) + " for update skip locked";
            default -> "select " + columns + " from " + table + rest + " limit " + limit + " for update skip locked";
        };
    }

    /** Standard SQL, which H2 reads in each of its modes. MySQL does not read it. */
    private static String fetchFirst(int limit) {
        return " fetch first " + limit + " rows only";
    }
}
