package io.delayqueue.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.SampleTest;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class JournalTests {

    @Autowired
    private Journal journal;

    @Test
    void entriesAfterAnEntryAreReturned() {
        journal.add("ours", Actor.CUSTOMER, "Ordered.");
        List<JournalEntry> entries = ours(0);
        long last = entries.get(entries.size() - 1).id();

        journal.add("ours", Actor.SHOP, "Delivered.");

        assertThat(ours(last)).singleElement().satisfies(entry -> {
            assertThat(entry.actor()).isEqualTo(Actor.SHOP);
            assertThat(entry.text()).isEqualTo("Delivered.");
        });
    }

    @Test
    void onlyTheLatestEntriesAreKept() {
        for (int i = 0; i < 600; i++) {
            journal.add("ours", Actor.QUEUE, "Entry " + i);
        }

        assertThat(journal.after(0)).hasSizeLessThanOrEqualTo(500);
        assertThat(ours(0)).last().extracting(JournalEntry::text).isEqualTo("Entry 599");
    }

    private List<JournalEntry> ours(long after) {
        return journal.after(after).stream()
                .filter(entry -> entry.orderId().equals("ours"))
                .toList();
    }
}
