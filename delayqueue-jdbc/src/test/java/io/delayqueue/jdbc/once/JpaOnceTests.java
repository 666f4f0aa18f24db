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
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.jpa.HibernatePersistenceProvider;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.annotation.Transactional;

/** A listener with once whose effects are entities: JPA uses the connection that inserts the row. */
@EmbeddedRedis
class JpaOnceTests {

    private final RedisServerProcess redis;

    JpaOnceTests(RedisServerProcess redis) {
        this.redis = redis;
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

    @Configuration(proxyBeanMethods = false)
    static class Jpa {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setPersistenceProviderClass(HibernatePersistenceProvider.class);
            factory.setJpaDialect(new HibernateJpaDialect());
            factory.setPersistenceUnitName("effects");
            factory.setPackagesToScan("io.delayqueue.none");
            factory.setPersistenceUnitPostProcessors(unit -> unit.addManagedClassName(EffectEntity.class.getName()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        Listener listener(EntityManagerFactory factory) {
            return new Listener(SharedEntityManagerCreator.createSharedEntityManager(factory));
        }
    }

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
        OnceDatabase database =
                OnceDatabase.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "h2");
        try (OnceNode node =
                OnceNode.start(redis.port(), UUID.randomUUID().toString(), database, Jpa.class, Behaviour.EFFECT)) {
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
}
