package io.delayqueue.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A database with the tables of the queue. */
public interface TestDatabase {

    /** The platform in the names of scripts. */
    String platform();

    String url();

    String user();

    /** Whether connections of its pools commit each statement by themselves. */
    default boolean autoCommit() {
        return true;
    }

    /** Opens a pool of connections, which the caller closes. */
    default HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setUsername(user());
        config.setPassword("");
        config.setAutoCommit(autoCommit());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(Duration.ofSeconds(20).toMillis());
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Connections without a pool, which waits for 30 ms after it has opened one. */
    default DataSource unpooled() {
        return new DriverManagerDataSource(url(), user(), "");
    }

    /** Creates the tables that are missing, and empties them. */
    default void reset() {
        DataSource connections = unpooled();
        new ResourceDatabasePopulator(new ClassPathResource("io/delayqueue/jdbc/schema-" + platform() + ".sql"))
                .execute(connections);
        JdbcTemplate jdbc = new JdbcTemplate(connections);
        jdbc.update("delete from delayqueue_outbox");
        jdbc.execute("create table if not exists orders (id varchar(64) primary key)");
        jdbc.update("delete from orders");
    }
}
