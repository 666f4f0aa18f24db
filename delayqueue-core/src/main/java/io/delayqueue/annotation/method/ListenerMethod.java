package io.delayqueue.annotation.method;

import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A listener method of a bean.
 *
 * @param bean the bean, or its proxy
 * @param targetClass the class of the bean, without a proxy
 * @param method the method as the class declares or inherits it, with its annotations
 * @param invocable the method to call on the bean: the interface's method if the bean is a JDK proxy
 */
public record ListenerMethod(Object bean, Class<?> targetClass, Method method, Method invocable) {

    /**
     * Finds the method to call on a bean.
     *
     * @throws InvalidSignatureException if the bean is a proxy through which the method can't be called
     */
    public static ListenerMethod of(Object bean, Method method) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new InvalidSignatureException(
                    "The bean is a proxy through which the method can't be called.",
                    "Make the method public and declare it in an interface of the bean, or have the class proxied"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
        ReflectionUtils.makeAccessible(invocable);
        return new ListenerMethod(bean, AopUtils.getTargetClass(bean), method, invocable);
    }
}
