package io.delayqueue.forward.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import org.junit.jupiter.api.Test;

class ConfirmingChannelTests {

    private static final BasicProperties PROPERTIES =
            new BasicProperties.Builder().messageId("m").build();

    /** The client may have counted a message that it did not write, so that later confirms are those of other messages. */
    @Test
    void channelIsReplacedAfterAFailedPublish() throws Exception {
        RabbitConnection connection = mock();
        Channel first = mock();
        Channel second = mock();
        given(connection.newChannel()).willReturn(first, second);
        given(first.isOpen()).willReturn(true);
        given(second.isOpen()).willReturn(true);
        willThrow(new OutOfMemoryError("for the test"))
                .given(first)
                .basicPublish(any(), any(), anyBoolean(), any(), any());
        ConfirmingChannel channel = new ConfirmingChannel(connection);

        assertThatThrownBy(() -> channel.publish("", "q", PROPERTIES, new byte[0]))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(channel.publish("", "q", PROPERTIES, new byte[0])).isNotNull();

        verify(first).abort();
        verify(second).basicPublish(any(), any(), anyBoolean(), any(), any());
    }
}
