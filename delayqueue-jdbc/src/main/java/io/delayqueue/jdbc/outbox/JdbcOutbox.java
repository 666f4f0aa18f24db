package io.delayqueue.jdbc.outbox;

import io.delayqueue.jdbc.SqlDialect;
import io.delayqueue.message.SendResult;
import io.delayqueue.message.SendResult.Duplicate;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Success;
import io.delayqueue.message.SendResult.Unknown;
import io.delayqueue.template.CommitOutbox;
import io.delayqueue.template.OutboxMessage;
import io.delayqueue.template.OutboxState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Stores messages of transactions in a table. Whatever the committing threads send is reported to the {@link OutboxRelay},
 * which deletes the rows. Thread-safe.
 *
 * <p>If Redis does not reply to a committing thread, further commits do not send: the relay sends until Redis replies.
 */
public final class JdbcOutbox implements CommitOutbox {

    private static final Log log = LogFactory.getLog(JdbcOutbox.class);
    /** The number of rows beyond which sent rows are forgotten while the database is unavailable. They are sent again. */
    private static final int MAX_SETTLED = 10_000;

    private final OutboxTransactions transactions;
    private final OutboxTable table;
    private final Duration remembered;
    private final Object lock = new Object();
    /** Rows that committing threads are sending. */
    private final Set<Long> inFlight = new HashSet<>();
    /** Rows of sent messages, which are to be deleted. */
    private Set<Long> sent = new LinkedHashSet<>();

    private Map<Long, String> rejected = new LinkedHashMap<>();
    private Gate gate = Gate.OPEN;
    private boolean relayWanted;
    private Runnable wake = () -> {};
    private volatile Supplier<@Nullable OutboxState> state = () -> null;

    /** Whether committing threads send. */
    private enum Gate {
        /** They do. */
        OPEN,
        /** The next one does, to find out whether Redis replies. */
        PROBE,
        /** The relay sends. */
        CLOSED
    }

    /** The rows of which the outcome is known. */
    record Settled(Set<Long> sent, Map<Long, String> rejected) {

        boolean isEmpty() {
            return sent.isEmpty() && rejected.isEmpty();
        }
    }

    /**
     * Creates the outbox.
     *
     * @param dataSource the data source to which transactions are bound
     * @param table name of the table
     * @param dialect the database's dialect
     * @param remembered time for which Redis remembers that it has a message
     * @param queryTimeout time after which statements outside the transactions of the application are ended
     */
    public JdbcOutbox(
            DataSource dataSource,
            String table,
            Supplier<SqlDialect> dialect,
            Duration remembered,
            Duration queryTimeout) {
        this.transactions = new OutboxTransactions(dataSource);
        this.table = new OutboxTable(transactions.dataSource(), table, dialect, queryTimeout);
        this.remembered = remembered;
    }

    /**
     * Checks the table.
     *
     * @throws org.springframework.jdbc.BadSqlGrammarException if the table or one of its columns is missing
     * @throws org.springframework.dao.DataAccessException if the database is unavailable
     */
    public void check() {
        transactions.reading(() -> {
            table.check();
            return true;
        });
    }

    /** The data source to which transactions are bound. */
    DataSource dataSource() {
        return transactions.dataSource();
    }

    OutboxTransactions transactions() {
        return transactions;
    }

    OutboxTable table() {
        return table;
    }

    @Override
    public boolean joinsTransaction() {
        return transactions.isActive();
    }

    @Override
    public Duration remembered() {
        return remembered;
    }

    @Override
    public long write(OutboxMessage message) {
        return table.insert(message);
    }

    @Override
    public void restartDelays(List<Long> rows) {
        table.restartDelays(rows);
    }

    @Override
    public Set<Long> sendable(List<Long> rows, List<Long> withGivenIds) {
        if (!mayPass()) {
            return Set.of();
        }
        Set<Long> sendable = new HashSet<>(rows);
        if (!withGivenIds.isEmpty()) {
            Collection<Long> blocked = blocked(withGivenIds);
            sendable.removeAll(blocked);
            if (!blocked.isEmpty()) {
                wantRelay();
            }
        }
        synchronized (lock) {
            inFlight.addAll(sendable);
        }
        return sendable;
    }

    private Collection<Long> blocked(List<Long> rows) {
        try {
            Set<Long> blocked = table.blocked(rows, List.of());
            endTransaction();
            return blocked;
        } catch (RuntimeException | SQLException e) {
            log.debug("The outbox could not be read after a commit; the relay sends its messages", e);
            return rows;
        }
    }

    /** Ends the transaction that the query after the commit began on the connection of the committed one. */
    private void endTransaction() throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource());
        try {
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource());
        }
    }

    @Override
    public void settle(Map<Long, SendResult> results) {
        if (results.isEmpty()) {
            return;
        }
        boolean noReply = false;
        synchronized (lock) {
            inFlight.removeAll(results.keySet());
            for (Map.Entry<Long, SendResult> entry : results.entrySet()) {
                SendResult result = entry.getValue();
                if (isDone(result)) {
                    if (sent.size() < MAX_SETTLED) {
                        sent.add(entry.getKey());
                    }
                } else if (isFinal(result)) {
                    rejected.put(entry.getKey(), reason(result));
                } else {
                    noReply |= isUnavailable(result);
                }
            }
            gate = noReply ? Gate.CLOSED : Gate.OPEN;
        }
        wake.run();
    }

    @Override
    public @Nullable OutboxState state() {
        return state.get();
    }

    /** Sets what supplies the state. */
    void state(Supplier<@Nullable OutboxState> ofRelay) {
        state = ofRelay;
    }

    /** Whether a commit may send. */
    private boolean mayPass() {
        synchronized (lock) {
            boolean passes = gate != Gate.CLOSED;
            if (gate == Gate.PROBE) {
                gate = Gate.CLOSED;
            }
            return passes;
        }
    }

    /** Makes commits send again, because Redis has replied to the relay. */
    void open() {
        synchronized (lock) {
            gate = Gate.OPEN;
        }
    }

    /** Makes commits stop sending, because Redis has not replied to the relay. */
    void close() {
        synchronized (lock) {
            gate = Gate.CLOSED;
        }
    }

    /** If commits do not send, lets one of them try. */
    void probe() {
        synchronized (lock) {
            if (gate == Gate.CLOSED) {
                gate = Gate.PROBE;
            }
        }
    }

    /** Sets what is called when there is work for the relay. */
    void onWork(Runnable wakeRelay) {
        this.wake = wakeRelay;
    }

    private void wantRelay() {
        synchronized (lock) {
            relayWanted = true;
        }
        wake.run();
    }

    /** Whether the relay should search for rows at once. Resets the wish. */
    boolean takeRelayWanted() {
        synchronized (lock) {
            boolean wanted = relayWanted;
            relayWanted = false;
            return wanted;
        }
    }

    boolean hasWork() {
        synchronized (lock) {
            return relayWanted || !sent.isEmpty() || !rejected.isEmpty();
        }
    }

    /** Takes the rows that were settled since the last call. */
    Settled takeSettled() {
        synchronized (lock) {
            Settled taken = new Settled(sent, rejected);
            sent = new LinkedHashSet<>();
            rejected = new LinkedHashMap<>();
            return taken;
        }
    }

    /** Returns those rows that committing threads of this process have sent, so that they only have to be deleted. */
    List<Long> sentHere(Collection<Long> rows) {
        synchronized (lock) {
            return rows.stream().filter(sent::contains).toList();
        }
    }

    /** Returns those rows that committing threads of this process are sending. */
    List<Long> inFlight(Collection<Long> rows) {
        synchronized (lock) {
            return rows.stream().filter(inFlight::contains).toList();
        }
    }

    /** Notes that rows were deleted. */
    void deleted(Collection<Long> rows) {
        synchronized (lock) {
            rows.forEach(sent::remove);
        }
    }

    /** Gives rows back that could not be settled in the database. */
    void giveBack(Settled settled) {
        synchronized (lock) {
            settled.sent().stream()
                    .limit(MAX_SETTLED - Math.min(MAX_SETTLED, sent.size()))
                    .forEach(sent::add);
            rejected.putAll(settled.rejected());
        }
    }

    /** Whether Redis needs nothing more of the message. A duplicate is what the sender asked for. */
    static boolean isDone(SendResult result) {
        return result instanceof Success || result instanceof Duplicate;
    }

    /** Whether sending the message again has the same result. */
    static boolean isFinal(SendResult result) {
        Reason reason = reasonOf(result);
        return reason == null || !reason.isTransient();
    }

    /** Whether the topic was full. It accepts the message when some of its messages are handled. */
    static boolean isFull(SendResult result) {
        return reasonOf(result) == Reason.FULL;
    }

    static boolean isUnavailable(SendResult result) {
        Reason reason = reasonOf(result);
        return reason == Reason.NOT_SENT || reason == Reason.NO_REPLY;
    }

    static String reason(SendResult result) {
        String detail = result instanceof Rejected failed
                ? failed.detail()
                : result instanceof Unknown unknown ? unknown.detail() : "";
        return reasonOf(result) + ": " + Objects.requireNonNullElse(detail, "");
    }

    private static @Nullable Reason reasonOf(SendResult result) {
        return result instanceof Rejected failed
                ? failed.reason()
                : result instanceof Unknown unknown ? unknown.reason() : null;
    }

    /** The numbers in parts of limited size. */
    static List<List<Long>> parts(Collection<Long> numbers, int size) {
        List<Long> all = new ArrayList<>(numbers);
        List<List<Long>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            parts.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return parts;
    }
}
