package io.delayqueue.autoconfigure;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import java.lang.reflect.Type;

/**
 * The converter of an application with neither Jackson nor a converter bean. Payloads of type String and byte[] do not
 * use a converter. For other types it throws an exception that names the missing dependency.
 */
final class MissingPayloadConverter implements PayloadConverter {

    private static final String SOLUTION = "without a converter only String and byte[] are supported; add"
            + " spring-boot-starter-jackson or define a bean of type PayloadConverter";

    @Override
    public byte[] write(Object payload) {
        throw failure(payload.getClass());
    }

    @Override
    public Object read(byte[] body, Type type) {
        throw failure(type);
    }

    private static PayloadConversionException failure(Type type) {
        return new PayloadConversionException(
                "No converter for payload type " + type.getTypeName() + ": " + SOLUTION,
                new IllegalStateException(SOLUTION));
    }
}
