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

class OpenConnectionTests {

    /** A thread that writes to an unresponsive broker holds the lock that an orderly close needs. */
    @Test
    @Timeout(60)
    void closeReturnsAlthoughTheClientCannotClose() {
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

        new OpenConnection(connection, socket, threads, Duration.ofMillis(100)).close();

        assertThat(socket.isClosed()).isTrue();
        never.countDown();
        threads.shutdown();
    }
}
