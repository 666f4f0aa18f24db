package io.delayqueue.sample.warehouse;

import io.delayqueue.sample.journal.Journal;
import io.delayqueue.sample.journal.JournalEntry.Actor;
import org.springframework.context.annotation.Profile;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

/** The warehouse. It stands for another application that uses JMS and does not depend on the delay queue. */
@Component
@Profile("forward")
class Warehouse {

    private final Journal journal;

    Warehouse(Journal journal) {
        this.journal = journal;
    }

    @JmsListener(destination = "warehouse")
    void pack(@Payload String parcel, @Header("delayqueue_id") String orderId, @Header("tags") String tags) {
        journal.add(orderId, Actor.SHOP, "The warehouse packs a " + tags + ": " + parcel);
    }
}
