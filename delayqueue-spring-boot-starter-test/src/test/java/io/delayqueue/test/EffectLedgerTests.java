package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EffectLedgerTests {

    private final EffectLedger ledger = new EffectLedger();

    @Test
    void oneEffectOfEachCommitIsCorrect() {
        ledger.committed("a");
        ledger.committed("b");
        ledger.rolledBack("c");

        assertThatCode(() -> ledger.verify(List.of("b", "a"))).doesNotThrowAnyException();
    }

    @Test
    void wrongEffectsAreNamed() {
        ledger.committed("missing");
        ledger.committed("right");
        ledger.committed("twice");
        ledger.rolledBack("forbidden");
        ledger.rolledBack("none");

        assertThatThrownBy(() -> ledger.verify(
                        List.of("twice", "right", "forbidden", "twice", "stranger", "stranger", "forbidden")))
                .isInstanceOf(AssertionError.class)
                .hasMessage("""
                        1 of 3 committed transactions have no effect: missing
                        1 committed transactions have more than one effect: twice
                        1 of 2 rolled-back transactions have an effect: forbidden
                        1 ids have an effect, but no committed transaction: stranger""");
    }

    @Test
    void tenIdsAreNamed() {
        IntStream.range(0, 11).forEach(i -> ledger.committed("order-" + (char) ('a' + i)));

        assertThatThrownBy(() -> ledger.verify(List.of()))
                .hasMessageStartingWith("11 of 11 ")
                .hasMessageEndingWith("order-a, order-b, order-c, order-d, order-e, order-f, order-g, order-h, order-i,"
                        + " order-j, …");
    }

    @Test
    void storedTransactionsCountAsCommitted() {
        ledger.committed("known");
        ledger.settle(List.of("known", "reply-lost"));

        assertThatCode(() -> ledger.verify(List.of("known", "reply-lost"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> ledger.verify(List.of("known", "never-committed")))
                .hasMessageContaining("1 of 2 committed transactions have no effect: reply-lost")
                .hasMessageContaining("1 ids have an effect, but no committed transaction: never-committed");
    }

    @Test
    void settleFailsIfTheDatabaseContradictsARecord() {
        ledger.committed("lost");
        ledger.rolledBack("kept");

        assertThatThrownBy(() -> ledger.settle(List.of("kept")))
                .isInstanceOf(AssertionError.class)
                .hasMessage("""
                        1 committed transactions are not in the database: lost
                        1 rolled-back transactions are in the database: kept""");
    }

    @Test
    void anIdStandsForOneTransaction() {
        ledger.rolledBack("a");

        assertThatIllegalStateException()
                .isThrownBy(() -> ledger.committed("a"))
                .withMessage("A transaction with the id 'a' is already recorded as rolled back. Give each transaction"
                        + " an id of its own");
    }

    @Test
    void verifyWithoutTransactionsIsRejected() {
        assertThatIllegalStateException().isThrownBy(() -> ledger.verify(List.of()));
    }
}
