package io.delayqueue.autoconfigure.jdbc;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.jdbc.QueueDatabase;
import io.delayqueue.jdbc.SqlDialect;
import io.delayqueue.jdbc.UnsupportedDatabaseException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Creates the tables. Otherwise, also in {@code EMBEDDED} mode, the application starts without the database. */
final class SchemaInitializer extends DataSourceScriptDatabaseInitializer {

    private static final Log log = LogFactory.getLog(SchemaInitializer.class);
    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*$");
    private static final Pattern TABLE = Pattern.compile("create table (?:if not exists )?(\\w+)");
    private static final int SHOWN = 100;

    private final DataSource dataSource;
    private final boolean runs;

    SchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode) {
        this(dataSource, settings(dataSource, mode));
    }

    private SchemaInitializer(DataSource dataSource, DatabaseInitializationSettings settings) {
        super(dataSource, settings);
        this.dataSource = dataSource;
        this.runs = settings.getSchemaLocations() != null;
    }

    /** Whether the script runs at the start. */
    boolean runs() {
        return runs;
    }

    private static DatabaseInitializationSettings settings(DataSource dataSource, DatabaseInitializationMode mode) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setMode(mode);
        if (mode == DatabaseInitializationMode.ALWAYS
                || (mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource))) {
            try {
                settings.setSchemaLocations(List.of(
                        "classpath:" + new QueueDatabase(dataSource).dialect().script()));
            } catch (UnsupportedDatabaseException e) {
                if (mode == DatabaseInitializationMode.ALWAYS) {
                    throw unsupported(e);
                } // otherwise the outbox fails the start if it is used
            }
        }
        return settings;
    }

    static StartFailedException unsupported(UnsupportedDatabaseException cause) {
        return new StartFailedException(
                cause.getMessage() + ".",
                "Annotate the DataSource of such a database with @DelayQueueDataSource, or disable the outbox with"
                        + " delayqueue.outbox.enabled=false.");
    }

    @Override
    protected void runScripts(Scripts scripts) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        for (Resource script : scripts) {
            jdbc.execute((ConnectionCallback<Boolean>) connection -> {
                run(connection, script);
                return true;
            });
        }
    }

    /**
     * Runs all statements of a script, also after one that failed: not each database can create a table only if it is
     * missing, and a user may have no permission to create the tables that another one has created.
     */
    private void run(Connection connection, Resource script) throws SQLException {
        String text = COMMENT.matcher(textOf(script)).replaceAll("");
        Map<String, SQLException> failures = new LinkedHashMap<>();
        for (String statement : Stream.of(text.split(";"))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList()) {
            SQLException failure = execute(connection, statement);
            if (failure != null) {
                failures.put(statement.replaceAll("\\s+", " "), failure);
            }
        }
        if (failures.isEmpty()) {
            return;
        }
        boolean exist = TABLE.matcher(text)
                .results()
                .allMatch(table -> execute(connection, "select 1 from " + table.group(1) + " where 1 = 0") == null);
        SqlDialect dialect = new QueueDatabase(dataSource).dialect();
        failures.forEach((statement, failure) -> {
            String problem = "The script " + dialect.script() + " of delayqueue-jdbc failed: "
                    + String.valueOf(failure.getMessage()).strip() + ". Its statement: "
                    + (statement.length() <= SHOWN ? statement : statement.substring(0, SHOWN) + "...");
            if (!exist) {
                throw new StartFailedException(
                        problem,
                        "Grant the user of the DataSource what the statement requires, or let another user run the script,"
                                + " for example as a Flyway migration, and set delayqueue.outbox.initialize-schema=never.");
            } else if (!dialect.saysItExists(failure)) {
                log.warn(problem + ". The tables exist, so they are used as they are");
            }
        });
    }

    /** Returns null if the statement succeeded. */
    private static @Nullable SQLException execute(Connection connection, String sql) {
        try {
            boolean commits = connection.getAutoCommit();
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
                if (!commits) {
                    connection.commit();
                }
                return null;
            } catch (SQLException e) {
                if (!commits) {
                    connection.rollback(); // PostgreSQL executes nothing more in a transaction with a failed statement
                }
                return e;
            }
        } catch (SQLException e) {
            return e;
        }
    }

    private static String textOf(Resource script) {
        try {
            return script.getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
