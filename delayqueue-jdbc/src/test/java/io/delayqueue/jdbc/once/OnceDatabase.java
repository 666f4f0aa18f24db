package io.delayqueue.jdbc.once;

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
record OnceDatabase(String url, String user, JdbcTemplate jdbc) {

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
        return new OnceDatabase(url, user, jdbc);
    }

    int effects() {
        return count("select count(*) from effects");
    }

    int effectsOf(String id) {
        return count("select count(*) from effects where message_id = ?", id);
    }

    int handled() {
        return count("select count(*) from delayqueue_handled");
    }

    private int count(String sql, Object... arguments) {
        Integer count = jdbc.queryForObject(sql, Integer.class, arguments);
        return count == null ? 0 : count;
    }
}
