package io.delayqueue.forward.jms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;

import io.delayqueue.forward.ForwardedMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.InOrder;

class JmsMessagesTests {

    @ParameterizedTest
    @CsvSource({
        "tags, tags",
        "delayqueue_id, delayqueue_id",
        "order.no, order_DOT_no",
        "x-tenant, x_HYPHEN_tenant",
        "7up, _x37_up",
        "a b, a_x20_b",
    })
    void headerNameIsEncodedAsAnIdentifier(String header, String property) {
        assertThat(JmsMessages.propertyName(header)).isEqualTo(property);
    }

    @Test
    void brokerPropertiesAreOmittedAndTheContentTypeIsSet() throws JMSException {
        TextMessage jms = mock();
        Session session = mock();
        given(session.createTextMessage("text")).willReturn(jms);

        JmsMessages.create(
                session,
                ForwardedMessage.of("id", "queue", "text".getBytes(UTF_8))
                        .contentType("text/plain")
                        .header("content_type", "forged")
                        .header("_AMQ_SCHED_DELIVERY", "soon")
                        .build());

        InOrder order = inOrder(jms);
        order.verify(jms).setStringProperty("content_type", "forged");
        order.verify(jms).setStringProperty("content_type", "text/plain");
        order.verifyNoMoreInteractions();
    }
}
