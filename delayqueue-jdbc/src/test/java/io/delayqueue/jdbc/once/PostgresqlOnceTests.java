package io.delayqueue.jdbc.once;

import io.delayqueue.jdbc.database.Databases;
import io.delayqueue.jdbc.database.RequiresDatabase;
import io.delayqueue.testing.TestDatabase;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Listeners with once on PostgreSQL, in a schema of their own. */
@RequiresDatabase(RequiresDatabase.Kind.POSTGRESQL)
class PostgresqlOnceTests extends OnceContract {

    @Override
    OnceDatabase newDatabase() {
        TestDatabase server = Databases.postgres();
        String schema = "s" + UUID.randomUUID().toString().replace("-", "");
        new JdbcTemplate(new DriverManagerDataSource(server.url(), server.user(), ""))
                .execute("create schema " + schema);
        return OnceDatabase.create(server.url() + "&currentSchema=" + schema, server.user(), server.platform());
    }
}
