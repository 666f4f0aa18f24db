package io.delayqueue.test;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks that each committed transaction has exactly one effect, and that no other transaction has any.
 *
 * <p>An id stands for one transaction, for its message and for its effect, such as the number of an order that is placed
 * by the transaction and cancelled by a handler. A test records the transactions whose outcome it knows by
 * {@link #committed} and {@link #rolledBack}. The outcome of the others, for example because the commit threw an
 * exception or the process was killed, is given by the database: {@link #settle}. Then {@link #verify} compares the
 * effects.
 *
 * <p>Thread-safe.
 */
public final class EffectLedger {

    private static final int SHOWN_IDS = 10;

    private final Set<String> committed = new TreeSet<>();
    private final Set<String> rolledBack = new TreeSet<>();

    /** Creates a ledger without transactions. */
    public EffectLedger() {}

    /**
     * Records that a transaction is committed.
     *
     * @throws IllegalStateException if a transaction with this id is already recorded
     */
    public synchronized void committed(String id) {
        record(id, committed);
    }

    /**
     * Records that a transaction is rolled back. A transaction whose commit threw an exception may be committed: do not
     * record it.
     *
     * @throws IllegalStateException if a transaction with this id is already recorded
     */
    public synchronized void rolledBack(String id) {
        record(id, rolledBack);
    }

    private void record(String id, Set<String> outcome) {
        if (committed.contains(id) || rolledBack.contains(id)) {
            throw new IllegalStateException("A transaction with the id '" + id + "' is already recorded as "
                    + (committed.contains(id) ? "committed" : "rolled back")
                    + ". Give each transaction an id of its own");
        }
        outcome.add(id);
    }

    /**
     * Settles transactions whose outcome is not recorded: those that the database has are committed. Call this method
     * after all senders have ended.
     *
     * @param stored the ids of all transactions of this test that the database has, in any order
     * @throws AssertionError if a transaction that was recorded as committed is not among them, or one that was recorded
     *     as rolled back is
     */
    public synchronized void settle(Collection<String> stored) {
        Set<String> found = new TreeSet<>(stored);
        List<String> failures = new ArrayList<>();
        describe(failures, difference(committed, found), "committed transactions are not in the database");
        describe(failures, intersection(rolledBack, found), "rolled-back transactions are in the database");
        failIfAny(failures);
        committed.addAll(found);
    }

    /**
     * Checks that each committed transaction has exactly one effect, and that no other id has any.
     *
     * @param effects the id of each effect, in any order; an id that occurs twice is a repeated effect
     * @throws AssertionError if an effect is missing, repeated or forbidden; the message has the number of each, and up
     *     to ten ids
     * @throws IllegalStateException if no transaction is recorded, so that there is nothing to check
     */
    public synchronized void verify(Collection<String> effects) {
        if (committed.isEmpty() && rolledBack.isEmpty()) {
            throw new IllegalStateException("No transaction is recorded. Call committed, rolledBack or settle first");
        }
        Map<String, Integer> counts = new TreeMap<>();
        effects.forEach(id -> counts.merge(id, 1, Integer::sum));
        Set<String> repeated = new TreeSet<>();
        counts.forEach((id, count) -> {
            if (count > 1 && committed.contains(id)) {
                repeated.add(id);
            }
        });
        List<String> failures = new ArrayList<>();
        describe(
                failures,
                difference(committed, counts.keySet()),
                "of " + committed.size() + " committed transactions have no effect");
        describe(failures, repeated, "committed transactions have more than one effect");
        describe(
                failures,
                intersection(rolledBack, counts.keySet()),
                "of " + rolledBack.size() + " rolled-back transactions have an effect");
        Set<String> unknown = difference(counts.keySet(), committed);
        unknown.removeAll(rolledBack);
        describe(failures, unknown, "ids have an effect, but no committed transaction");
        failIfAny(failures);
    }

    private static Set<String> difference(Set<String> ids, Set<String> removed) {
        Set<String> difference = new TreeSet<>(ids);
        difference.removeAll(removed);
        return difference;
    }

    private static Set<String> intersection(Set<String> ids, Set<String> others) {
        Set<String> intersection = new TreeSet<>(ids);
        intersection.retainAll(others);
        return intersection;
    }

    private static void describe(List<String> failures, Set<String> ids, String what) {
        if (!ids.isEmpty()) {
            String shown = String.join(", ", ids.stream().limit(SHOWN_IDS).toList());
            failures.add(ids.size() + " " + what + ": " + shown + (ids.size() > SHOWN_IDS ? ", …" : ""));
        }
    }

    private static void failIfAny(List<String> failures) {
        if (!failures.isEmpty()) {
            throw new AssertionError(String.join("\n", failures));
        }
    }
}
