package io.delayqueue.jdbc.once;

import io.delayqueue.annotation.OnceHandling.OnceMethod;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * The transaction that a listener's method declares. It joins the transaction of the call, so the call's has the declared
 * isolation and timeout.
 */
final class TransactionRules {

    private static final Set<Integer> JOINING = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_SUPPORTS,
            TransactionDefinition.PROPAGATION_MANDATORY,
            TransactionDefinition.PROPAGATION_NESTED);

    private final ConfigurableBeanFactory beans;
    private final AnnotationTransactionAttributeSource annotations = new AnnotationTransactionAttributeSource(false);

    TransactionRules(ConfigurableBeanFactory beans) {
        this.beans = beans;
        annotations.setEmbeddedValueResolver(beans::resolveEmbeddedValue);
    }

    /**
     * Returns the definition of the transaction of calls.
     *
     * @throws io.delayqueue.annotation.InvalidListenerException if the declared transaction would not join it
     */
    TransactionDefinition of(OnceMethod method, PlatformTransactionManager manager) {
        // an interceptor's transaction must not decide whether the message is handled
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName(method.listener());
        TransactionAttribute declared = annotations.getTransactionAttribute(method.method(), method.type());
        if (declared != null) {
            check(declared, method, manager);
            definition.setIsolationLevel(declared.getIsolationLevel());
            definition.setTimeout(declared.getTimeout());
        }
        return definition;
    }

    private void check(TransactionAttribute declared, OnceMethod method, PlatformTransactionManager manager) {
        if (!JOINING.contains(declared.getPropagationBehavior())) {
            throw method.invalid()
                    .apply(
                            "It has once, but its @Transactional does not join the transaction that records the message.",
                            "Use the propagation REQUIRED.");
        }
        if (declared.isReadOnly()) {
            throw method.invalid()
                    .apply("It has once, but its @Transactional is read-only.", "Remove readOnly, or remove once.");
        }
        TransactionManager other = managerOf(declared);
        if (other != null && other != manager) {
            throw method.invalid()
                    .apply(
                            "It has once, but its @Transactional uses another transaction manager than the one of the"
                                    + " table of handled messages.",
                            "Name this one in @Transactional, or annotate the other one and its DataSource with"
                                    + " @DelayQueueDataSource.");
        }
    }

    /** Null if it is unknown, or if the application has several and the method does not name one. */
    private @Nullable TransactionManager managerOf(TransactionAttribute declared) {
        String qualifier = declared.getQualifier();
        if (qualifier != null && !qualifier.isEmpty()) {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
        }
        TransactionManagementConfigurer configurer =
                beans.getBeanProvider(TransactionManagementConfigurer.class).getIfAvailable();
        return configurer == null
                ? ((BeanFactory) beans)
                        .getBeanProvider(TransactionManager.class)
                        .getIfUnique()
                : configurer.annotationDrivenTransactionManager();
    }
}
