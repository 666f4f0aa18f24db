package io.delayqueue.jdbc.once;

import io.delayqueue.jdbc.database.H2Database;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * An empty database with the table of handled messages and a table of effects, in which a second effect of a message is
 * another row.
 *
 * @param url the JDBC URL with which applications connect
 */
record OnceDatabase(String url, String user, String platform, JdbcTemplate jdbc) {

    /** A new database of H2. */
    static OnceDatabase h2() {
        return create(new H2Database(UUID.randomUUID().toString()).url(), "sa", "h2");
    }

    /**
     * Creates the tables.
     *
     * @param platform the name of the script with the schema
     */
    static OnceDatabase create(String url, String user, String platform) {
        DataSource dataSource = new DriverManagerDataSource(url, user, "");
        new ResourceDatabasePopulator(new ClassPathResource("io/delayqueue/jdbc/schema-" + platform + ".sql"))
                .execute(dataSource);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("create table effects (message_id varchar(256), listener varchar(256))");
        return new OnceDatabase(url, user, platform, jdbc);
    }

    int effects() {
        return count("select count(*) from effects");
    }

    int handled() {
        return count("select count(*) from delayqueue_handled");
    }

    /** The number of sessions that wait for a lock; with H2, which does not show it, the number of inserts that have not returned. */
    int blockedInserts() {
        return switch (platform) {
            case "postgresql" -> count("select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
            case "mariadb" -> count("select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'");
            default ->
                (int) Thread.getAllStackTraces().values().stream()
                        .filter(OnceDatabase::inserts)
                        .count();
        };
    }

    private static boolean inserts(StackTraceElement[] stack) {
        List<String> classes =
                Stream.of(stack).map(StackTraceElement::getClassName).toList();
        return classes.contains(HandledMessages.class.getName()) && classes.contains("org.h2.command.Command");
    }

    void insertRows(int count, long handledAt) {
        jdbc.batchUpdate(
                "insert into delayqueue_handled (message_key, listener, topic, message_id, send_id, handled_at)"
                        + " values (?, 'l', 't', 'm', '-', ?)",
                IntStream.range(0, count)
                        .mapToObj(i -> new Object[] {handledAt + "-" + i, handledAt})
                        .toList());
    }

    void empty() {
        jdbc.update("delete from effects");
        jdbc.update("delete from delayqueue_handled");
    }

    private int count(String sql) {
        Integer count = jdbc.queryForObject(sql, Integer.class);
        return count == null ? 0 : count;
    }
}
