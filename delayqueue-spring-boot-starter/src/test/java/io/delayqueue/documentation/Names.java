package io.delayqueue.documentation;

import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import io.delayqueue.admin.DeadLetterGroup;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.DelayQueueInspector;
import io.delayqueue.admin.DelayQueueJobs;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.DelayQueueTemplate;
import io.delayqueue.template.receive.DelayQueueReceiver;
import io.delayqueue.template.receive.Leases;
import java.time.Instant;
import java.util.List;
import org.redisson.api.RedissonClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/** What blocks of Java in the documentation use without declaring it. They are compiled in subclasses. */
public abstract class Names {

    /** The first lines of the units around blocks, which have no imports. */
    static final String IMPORTS = """
            package example;
            import static io.delayqueue.documentation.Names.Status.*;
            import static org.assertj.core.api.Assertions.assertThat;
            import static org.awaitility.Awaitility.await;
            import com.fasterxml.jackson.annotation.JsonAlias;
            import com.fasterxml.jackson.annotation.JsonCreator;
            import com.fasterxml.jackson.annotation.JsonProperty;
            import io.delayqueue.admin.*;
            import io.delayqueue.annotation.*;
            import io.delayqueue.jdbc.DelayQueueDataSource;
            import javax.sql.DataSource;
            import org.springframework.boot.jdbc.DataSourceBuilder;
            import org.springframework.jdbc.support.JdbcTransactionManager;
            import io.delayqueue.autoconfigure.*;
            import io.delayqueue.documentation.Names;
            import io.delayqueue.forward.*;
            import io.delayqueue.listener.*;
            import io.delayqueue.message.*;
            import io.delayqueue.template.*;
            import io.delayqueue.template.receive.*;
            import io.delayqueue.test.*;
            import jakarta.servlet.DispatcherType;
            import java.net.ConnectException;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.TimeUnit;
            import org.junit.jupiter.api.Test;
            import org.redisson.api.RBlockingQueue;
            import org.redisson.api.RDelayedQueue;
            import org.springframework.amqp.core.CustomExchange;
            import org.springframework.amqp.rabbit.annotation.RabbitListener;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
            import org.springframework.boot.test.context.SpringBootTest;
            import org.springframework.context.annotation.Bean;
            import org.springframework.context.annotation.Primary;
            import org.springframework.core.ParameterizedTypeReference;
            import org.springframework.core.annotation.Order;
            import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
            import org.springframework.messaging.handler.annotation.Header;
            import org.springframework.security.config.Customizer;
            import org.springframework.security.config.annotation.web.builders.HttpSecurity;
            import org.springframework.security.config.http.SessionCreationPolicy;
            import org.springframework.security.web.SecurityFilterChain;
            import org.springframework.transaction.annotation.Transactional;
            import org.springframework.transaction.reactive.TransactionalOperator;
            import reactor.core.publisher.Mono;
            import reactor.core.scheduler.Schedulers;
            """;

    protected static final Logger log = LoggerFactory.getLogger(Names.class);

    protected DelayQueueTemplate delayQueue;
    protected DelayQueueReceiver receiver;
    protected DelayQueueAdmin admin;
    protected DelayQueueInspector inspector;
    protected DelayQueueJobs jobs;
    protected Leases leases;
    protected DelayMessage message;
    protected String topic;
    protected String id;
    protected String receipt;
    protected String deadLetterId;
    protected DeadLetterGroup group;
    protected Instant instant;

    protected String orderNo;
    protected OrderService orders;
    protected Bank bank;
    protected Mailer mailer;
    protected Table table;
    protected Payout payout;
    protected List<NewOrder> unpaid;
    protected JdbcTemplate jdbc;

    protected RedissonClient redisson;
    protected RqueueMessageEnqueuer enqueuer;
    protected RabbitTemplate rabbit;

    protected abstract boolean isLocked(Payment payment);

    protected abstract String currentTenant();

    protected abstract void print(Invoice invoice);

    public record CancelOrder(String orderNo) {}

    public interface Event {}

    public record Paid(String orderNo, int amount) implements Event {}

    public record NewOrder(String orderNo, Instant cancelAt) {}

    public record PlacedOrder(Status status) {}

    public record Payment(String iban) {}

    public record Payout(String iban) {}

    public record Mail(String to, String text) {}

    public record ReportRow(String text) {}

    public record Invoice(String number) {}

    public record SendInvoice(String userId) {}

    public enum Status {
        UNPAID,
        CANCELLED
    }

    public interface OrderService {
        String place(String item);

        void insert(NewOrder order);

        PlacedOrder find(String orderNo);

        void markPaid(String orderNo);

        void cancelUnpaid(String orderNo);
    }

    public interface Mailer {

        void send(Mail mail);
    }

    public interface Bank {
        void transfer(Payment payment);
    }

    public interface Table {
        void insert(ReportRow row);
    }

    public static class InvalidPaymentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
