package io.delayqueue.jdbc.outbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A data source whose calls to the database can fail, and then, if it is to, all further ones. Counts the calls. */
final class Faults extends DelegatingDataSource {

    private static final Executor HERE = Runnable::run;
    private static final Set<String> CALLS = Set.of(
            "execute", "executeQuery", "executeUpdate", "executeBatch", "executeLargeUpdate", "commit", "rollback");

    private final List<String> calls = new ArrayList<>();
    private final List<Connection> open = new CopyOnWriteArrayList<>();
    private int failing = -1;
    private boolean afterwards;
    private Runnable onFailure = () -> {};
    private boolean ends;
    private volatile boolean ended;

    Faults(DataSource dataSource) {
        super(dataSource);
    }

    /**
     * Makes a call fail.
     *
     * @param call its index, counted from now
     * @param afterwards whether the database executes it nevertheless
     * @param ends whether all further calls fail, as if the process had ended: the connections are aborted
     */
    void failAt(int call, boolean afterwards, boolean ends, Runnable onFailure) {
        calls.clear();
        this.failing = call;
        this.afterwards = afterwards;
        this.ends = ends;
        this.onFailure = onFailure;
    }

    List<String> calls() {
        return calls;
    }

    /** Whether the call to fail was made. */
    boolean hasFailed() {
        return failing >= 0 && calls.size() > failing;
    }

    /** Aborts all connections; all further calls fail. */
    void end() {
        ended = true;
        open.forEach(this::breakDown);
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (ended) {
            throw new SQLException("the process has ended");
        }
        Connection connection = super.getConnection();
        open.add(connection);
        return (Connection) proxy(connection, connection, Connection.class);
    }

    private Object proxy(Object target, Connection connection, Class<?> type) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            String name = method.getName();
            if (name.equals("close") && target == connection) {
                open.remove(connection);
            } else if (!open.contains(connection)) {
                throw new SQLException("the connection is broken");
            }
            boolean fails = CALLS.contains(name) && begin(name + (arguments == null ? "" : " " + arguments[0]));
            if (fails && !afterwards) {
                fail(connection, name);
            }
            Object result;
            try {
                result = method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (fails) {
                fail(connection, name);
            }
            if (result instanceof PreparedStatement statement) {
                return proxy(statement, connection, PreparedStatement.class);
            }
            return result instanceof Statement statement ? proxy(statement, connection, Statement.class) : result;
        };
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, handler);
    }

    private boolean begin(String call) {
        calls.add(call);
        return calls.size() - 1 == failing;
    }

    private void fail(Connection connection, String call) throws SQLException {
        onFailure.run();
        if (ends) {
            end();
        } else if (call.equals("commit") || call.equals("rollback")) {
            // on a connection that works, they do not fail
            breakDown(connection);
        }
        throw new SQLException("injected");
    }

    /** Rolls back what the connection has not committed. All further calls fail. */
    private void breakDown(Connection connection) {
        open.remove(connection);
        try {
            connection.abort(HERE);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
