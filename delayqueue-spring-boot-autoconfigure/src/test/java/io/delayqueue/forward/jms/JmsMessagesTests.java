package io.delayqueue.forward.jms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void nameBecomesAnIdentifier(String header, String property) {
        assertThat(JmsMessages.propertyName(header)).isEqualTo(property);
    }
}
