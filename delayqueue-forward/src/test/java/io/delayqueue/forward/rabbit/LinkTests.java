package io.delayqueue.forward.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

import com.rabbitmq.client.Connection;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LinkTests {

    /** Whoever writes to a broker that reads nothing holds what a close in order needs. */
    @Test
    @Timeout(60)
    void closeEndsThoughTheClientCannotClose() {
        CountDownLatch never = new CountDownLatch(1);
        Connection connection = mock();
        willAnswer(abort -> {
                    never.await();
                    return null;
                })
                .given(connection)
                .abort(anyInt());
        Socket socket = new Socket();

        ExecutorService threads = Executors.newCachedThreadPool();

        new Link(connection, socket, threads, Duration.ofMillis(100)).close();

        assertThat(socket.isClosed()).isTrue();
        never.countDown();
        threads.shutdown();
    }
}
