package io.delayqueue.jdbc.kill;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.jdbc.modulith.WithoutModulith;
import io.delayqueue.listener.Delivery;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.BatchSendException;
import io.delayqueue.template.DelayQueueTemplate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Places orders and cancels them, and books to accounts. A JVM of its own runs it. After a restart it places the orders that are
 * left, and sends the bookings again.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@WithoutModulith
@Import(OrderApplication.Orders.class)
class OrderApplication {

    static final String TOPIC = "order-cancel";
    static final String BOOKINGS = "booking";
    static final int ACCOUNTS = 100;
    static final int BOOKINGS_OF_ACCOUNT = 150;
    private static final int SENDERS = 4;

    public static void main(String[] arguments) {
        SpringApplication.run(OrderApplication.class, arguments)
                .getBean(Orders.class)
                .placeAll();
    }

    @Bean
    Journal journal(@Value("${kill.journal}") Path file) {
        return new Journal(file);
    }

    static final class Orders {

        private final Journal journal;
        private final DelayQueueTemplate queue;
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;
        private final int number;
        private final long pauseNanos;
        private final Set<String> begun;
        private final AtomicInteger next = new AtomicInteger();

        Orders(
                Journal journal,
                DelayQueueTemplate queue,
                JdbcTemplate jdbc,
                PlatformTransactionManager manager,
                @Value("${kill.orders}") int number,
                @Value("${kill.pause}") Duration pause) {
            this.journal = journal;
            this.queue = queue;
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(manager);
            this.number = number;
            this.pauseNanos = pause.toNanos();
            this.begun = journal.begun();
        }

        void placeAll() {
            if (journal.node().equals("a")) {
                new Thread(this::sendBookings, "bookings").start();
            }
            Thread[] senders = new Thread[SENDERS];
            for (int i = 0; i < SENDERS; i++) {
                senders[i] = new Thread(this::placeNext, "sender " + i);
                senders[i].start();
            }
            try {
                for (Thread sender : senders) {
                    sender.join();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            journal.write(Journal.Entry.DONE, "");
        }

        private void placeNext() {
            for (int i = next.getAndIncrement(); i < number; i = next.getAndIncrement()) {
                String order = journal.node() + i;
                if (!begun.contains(order)) {
                    place(order, i);
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pauseNanos));
                }
            }
        }

        /** Every fifth order is rolled back. Every second message has a generated id. */
        private void place(String order, int i) {
            boolean commits = i % 5 != 0;
            DelayMessage.Builder message = DelayMessage.to(TOPIC)
                    .payload(order)
                    .delay(Duration.ofMillis(ThreadLocalRandom.current().nextLong(3_000)));
            journal.write(Journal.Entry.BEGUN, order);
            try {
                transaction.executeWithoutResult(status -> {
                    jdbc.update("insert into orders (id) values (?)", order);
                    queue.sendAfterCommit((i % 2 == 0 ? message : message.id(order)).build());
                    if (!commits) {
                        status.setRollbackOnly();
                    }
                });
                journal.write(commits ? Journal.Entry.COMMITTED : Journal.Entry.ROLLED_BACK, order);
            } catch (DataAccessException | TransactionException e) {
                // the database knows the outcome
            }
        }

        /** One thread of all nodes sends, so that the order is known. A repeat has the nonce of the first send, and no effect. */
        private void sendBookings() {
            for (int place = 0; place < BOOKINGS_OF_ACCOUNT; place++) {
                List<DelayMessage> bookings = new ArrayList<>();
                for (int account = 0; account < ACCOUNTS; account++) {
                    String id = account + "x" + place;
                    bookings.add(DelayMessage.to(BOOKINGS)
                            .id(id)
                            .nonce(id)
                            .key(String.valueOf(account))
                            .payload(place)
                            .build());
                }
                while (!isSent(bookings)) {
                    LockSupport.parkNanos(pauseNanos);
                }
            }
        }

        private boolean isSent(List<DelayMessage> messages) {
            try {
                queue.sendAll(messages);
                return true;
            } catch (BatchSendException e) {
                System.out.println("The bookings are sent again: " + e.getMessage());
                return false;
            }
        }

        /** Only the next booking of an account has an effect. One attempt of fifty fails after it. */
        @DelayListener(topic = BOOKINGS, once = "true")
        void book(Integer place, Delivery delivery) {
            boolean isNext = jdbc.update(
                            "update accounts set bookings = bookings + 1 where id = ? and bookings = ?",
                            delivery.key(),
                            place)
                    == 1;
            journal.write(isNext ? Journal.Entry.BOOKED : Journal.Entry.OUT_OF_ORDER, delivery.id());
            if (!isNext || ThreadLocalRandom.current().nextInt(50) == 0) {
                throw new IllegalStateException(isNext ? "on purpose" : "out of order");
            }
        }

        /** One attempt of fifty fails after its effect. */
        @DelayListener(topic = TOPIC, once = "true")
        void cancel(String order) {
            journal.write(Journal.Entry.HANDLED, order);
            jdbc.update("insert into cancellations (order_id) values (?)", order);
            if (ThreadLocalRandom.current().nextInt(50) == 0) {
                throw new IllegalStateException("on purpose");
            }
        }
    }
}
