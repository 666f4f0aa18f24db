package io.delayqueue.jdbc.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.jdbc.once.OnceNode.Behaviour;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.transaction.annotation.Transactional;

/** A listener with once whose effects are entities: JPA uses the connection that inserts the row. */
@EmbeddedRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JpaOnceTests {

    private final OnceDatabase database = OnceDatabase.h2();
    private OnceNode node;

    @BeforeAll
    void start(RedisServerProcess redis) {
        node = OnceNode.start(redis.port(), UUID.randomUUID().toString(), database, Listener.class, Behaviour.EFFECT);
    }

    @AfterAll
    void stop() {
        node.close();
    }

    /** A row of the table of effects. */
    @Entity
    @Table(name = "effects")
    static class EffectEntity {

        @Id
        @SuppressWarnings("unused") // read by JPA
        private String message_id;

        protected EffectEntity() {}

        EffectEntity(String id) {
            message_id = id;
        }
    }

    @EntityScan(basePackageClasses = EffectEntity.class)
    static class Listener {

        private final EntityManager entities;

        Listener(EntityManager entities) {
            this.entities = entities;
        }

        @DelayListener(topic = "t", id = "l", once = "true")
        @Transactional
        public void handle(String payload, Delivery delivery) {
            entities.persist(new EffectEntity(delivery.id()));
            entities.flush();
            if (delivery.attempt() == 1) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    @Test
    void entitiesAndTheRowAreOneTransaction() {
        DelayMessage message =
                DelayMessage.to("t").id("m").nonce("n").payload("p").build();
        node.delayQueue().send(message);
        await().until(() -> node.seen.acknowledged.size() == 1);
        assertThat(node.seen.retried).containsExactly("m");
        assertThat(database.effects()).isEqualTo(1);
        assertThat(database.handled()).isEqualTo(1);

        node.delayQueue().send(message);
        await().until(() -> node.seen.acknowledged.size() == 2);
        assertThat(node.seen.suppressed).containsExactly("m");
        assertThat(database.effects()).isEqualTo(1);
    }
}
