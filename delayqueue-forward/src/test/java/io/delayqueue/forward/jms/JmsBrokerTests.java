package io.delayqueue.forward.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.delayqueue.forward.ForwardedMessage;
import io.delayqueue.forward.Forwarder;
import io.delayqueue.forward.Route;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.springframework.jms.IllegalStateException;
import org.springframework.jms.core.JmsTemplate;

class JmsBrokerTests {

    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final List<MessageProducer> producers = new CopyOnWriteArrayList<>();

    @Test
    void producerThatTheServerClosedIsReplaced() throws Exception {
        JmsBroker broker = new JmsBroker(new JmsTemplate(connectionFactory()));
        Forwarder forwarder = broker.open(route());
        forwarder.forward(message());
        willThrow(new jakarta.jms.IllegalStateException("The MessageProducer is closed"))
                .given(producers.get(0))
                .send(any(), anyInt(), anyInt(), anyLong());

        assertThatThrownBy(() -> forwarder.forward(message())).isInstanceOf(IllegalStateException.class);
        forwarder.forward(message());

        assertThat(producers).hasSize(2);
        verify(producers.get(1)).send(any(), anyInt(), anyInt(), anyLong());
        verify(connections.get(0)).close();
        broker.close();
        verify(connections.get(1)).close();
    }

    @Test
    void connectionIsKeptAfterOtherFailures() throws Exception {
        JmsBroker broker = new JmsBroker(new JmsTemplate(connectionFactory()));
        Forwarder forwarder = broker.open(route());
        forwarder.forward(message());
        willThrow(new JMSException("the address is full"))
                .willDoNothing()
                .given(producers.get(0))
                .send(any(), anyInt(), anyInt(), anyLong());

        assertThatThrownBy(() -> forwarder.forward(message())).hasRootCauseMessage("the address is full");
        forwarder.forward(message());

        verify(producers.get(0), times(3)).send(any(), anyInt(), anyInt(), anyLong());
        verify(connections.get(0), never()).close();
    }

    @Test
    void failureOfAnEarlierConnectionDoesNotRenewTheCurrentOne() throws Exception {
        RenewableConnectionFactory cache = new RenewableConnectionFactory(connectionFactory());
        int used = cache.generation();
        cache.createConnection().createSession(true, Session.AUTO_ACKNOWLEDGE);
        cache.renew(used);
        cache.createConnection().createSession(true, Session.AUTO_ACKNOWLEDGE);

        cache.renew(used);

        verify(connections.get(0)).close();
        verify(connections.get(1), never()).close();
    }

    @Test
    void closeDoesNotWaitForAConnectionAttemptAndPreventsTheNext() throws Exception {
        CountDownLatch connecting = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        ConnectionFactory unavailable = mock();
        given(unavailable.createConnection()).willAnswer(call -> {
            connecting.countDown();
            awaitUninterruptibly(back);
            return connection();
        });
        JmsBroker broker = new JmsBroker(new JmsTemplate(unavailable));
        Forwarder forwarder = broker.open(route());
        CompletableFuture<Void> first = inAThread(() -> forwarder.forward(message()));
        assertThat(connecting.await(60, SECONDS)).isTrue();
        CompletableFuture<Void> second = inAThread(() -> forwarder.forward(message()));

        inAThread(broker::close).get(60, SECONDS);
        back.countDown();

        for (CompletableFuture<Void> each : List.of(first, second)) {
            assertThatThrownBy(() -> each.get(60, SECONDS)).hasRootCauseMessage("the application is closed");
        }
        assertThatThrownBy(() -> forwarder.forward(message())).hasMessage("the application is closed");
        assertThat(connections).hasSize(1);
        verify(connections.get(0)).close();
        verify(unavailable).createConnection();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean open = false;
        while (!open) {
            try {
                latch.await();
                open = true;
            } catch (InterruptedException ignored) {
                // waits on
            }
        }
    }

    private static CompletableFuture<Void> inAThread(Executable task) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                task.execute();
                result.complete(null);
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private ConnectionFactory connectionFactory() throws JMSException {
        ConnectionFactory factory = mock();
        given(factory.createConnection()).willAnswer(call -> connection());
        return factory;
    }

    private Connection connection() throws JMSException {
        Connection connection = mock();
        given(connection.createSession(anyBoolean(), anyInt())).willAnswer(call -> session());
        connections.add(connection);
        return connection;
    }

    private Session session() throws JMSException {
        Session session = mock();
        Queue queue = mock();
        TextMessage text = mock();
        given(session.getTransacted()).willReturn(true);
        given(session.createQueue(anyString())).willReturn(queue);
        given(session.createTextMessage(anyString())).willReturn(text);
        given(session.createProducer(any())).willAnswer(call -> {
            MessageProducer producer = mock();
            producers.add(producer);
            return producer;
        });
        return session;
    }

    private static Route route() {
        return new Route("topic", "jms", "queue", null, false, Duration.ofSeconds(2));
    }

    private static ForwardedMessage message() {
        return ForwardedMessage.of("id", "queue", "text".getBytes(UTF_8)).build();
    }
}
