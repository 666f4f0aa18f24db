package io.delayqueue.jdbc.once;

import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.annotation.OnceHandling;
import io.delayqueue.event.EventBus;
import io.delayqueue.listener.DeliveryHandler;
import io.delayqueue.listener.ListenerOptions;
import io.delayqueue.message.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Makes listeners with {@code once} idempotent, and removes old rows while there are such listeners. Thread-safe. */
public final class OnceListeners implements OnceHandling {

    /** No lease is longer; see {@link ListenerOptions}. */
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private final Supplier<@Nullable DataSource> dataSource;
    private final Supplier<@Nullable PlatformTransactionManager> manager;
    private final TransactionRules rules;
    private final EventBus events;
    private final String table;
    private final Duration retention;
    private final List<OnceMethod> methods = new ArrayList<>();

    /**
     * Creates an instance without listeners.
     *
     * @param dataSource returns the DataSource of the table; null if there is none, or several and none is marked
     * @param manager returns its transaction manager; null if there is none, or several and none is marked
     * @param table the table of handled messages
     * @param retention how long the table has a row
     */
    public OnceListeners(
            Supplier<@Nullable DataSource> dataSource,
            Supplier<@Nullable PlatformTransactionManager> manager,
            ConfigurableBeanFactory beans,
            EventBus events,
            String table,
            Duration retention) {
        this.dataSource = dataSource;
        this.manager = manager;
        this.rules = new TransactionRules(beans);
        this.events = events;
        this.table = table;
        this.retention = retention;
    }

    @Override
    public DeliveryHandler once(OnceMethod method, DeliveryHandler handler) {
        DataSource source = required(dataSource.get(), "DataSource", method);
        PlatformTransactionManager transactions = required(manager.get(), "transaction manager", method);
        if (transactions instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource managed
                && managed != target(source)) {
            throw method.invalid()
                    .apply(
                            "It has once, but the transaction manager does not manage the DataSource of the table of"
                                    + " handled messages.",
                            "Annotate the DataSource and its transaction manager with @DelayQueueDataSource.");
        }
        OnceTransaction transaction = new OnceTransaction(
                method.listener(),
                target(source),
                transactions,
                rules.of(method, transactions),
                new HandledMessages(target(source), table));
        synchronized (methods) {
            methods.add(method);
        }
        return new OnceHandler(method.listener(), transaction, handler, events);
    }

    private static <T> T required(@Nullable T bean, String what, OnceMethod method) {
        if (bean == null) {
            throw method.invalid()
                    .apply(
                            "It has once, but there is no " + what + ", or there are several.",
                            "Configure one, or annotate one of them with @DelayQueueDataSource or @Primary.");
        }
        return bean;
    }

    /** The DataSource that a transaction manager binds. */
    private static DataSource target(DataSource source) {
        DataSource target =
                source instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : source;
        return target == null ? source : target;
    }

    /**
     * Checks that rows stay until no message of a listener can be delivered again.
     *
     * @param options returns the options of a listener; null if it is not registered
     * @throws io.delayqueue.annotation.InvalidListenerException if not
     */
    void checkRetention(Function<String, @Nullable ListenerOptions> options) {
        for (OnceMethod method : methods()) {
            ListenerOptions own = options.apply(method.listener());
            if (own != null && retention.compareTo(own.handlingTime().plus(LONGEST_LEASE)) < 0) {
                throw method.invalid()
                        .apply(
                                "It has once and a handling time of " + DurationText.of(own.handlingTime())
                                        + ", but delayqueue.once.retention is " + DurationText.of(retention)
                                        + ": its rows could be removed before its messages are acknowledged.",
                                "Set delayqueue.once.retention to at least 1 day more than the handling time.");
            }
        }
    }

    private List<OnceMethod> methods() {
        synchronized (methods) {
            return List.copyOf(methods);
        }
    }

    /** The table of handled messages; null if no listener has {@code once}. */
    @Nullable
    HandledMessages table() {
        DataSource source = methods().isEmpty() ? null : dataSource.get();
        return source == null ? null : new HandledMessages(target(source), table);
    }

    /** The options of registered listeners. */
    static Function<String, @Nullable ListenerOptions> optionsOf(DelayListenerRegistry registry) {
        return id ->
                registry.getContainer(id).map(listener -> listener.options()).orElse(null);
    }
}
