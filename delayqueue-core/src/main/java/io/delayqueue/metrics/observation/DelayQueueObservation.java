package io.delayqueue.metrics.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
import org.jspecify.annotations.Nullable;

/**
 * The observations with their keys. Low-cardinality keys are always present; their value is "none" if they do not
 * apply.
 */
public enum DelayQueueObservation implements ObservationDocumentation {

    /** The sending of a message, until its result is known. One observation per message, even in a batch. */
    SEND {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DelayQueueSendObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return SendKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {MessageKeys.ID};
        }
    },

    /** The handling of a message or batch, until the handler's future completes. One observation per attempt. */
    PROCESS {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DelayQueueProcessObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return ProcessKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return MessageKeys.values();
        }
    };

    /** Returns the value of the {@code exception} key. */
    static String exception(@Nullable Throwable error) {
        if (error == null) {
            return KeyValue.NONE_VALUE;
        }
        String name = error.getClass().getSimpleName();
        return name.isEmpty() ? error.getClass().getName() : name;
    }

    /** Low-cardinality keys of a send. */
    public enum SendKeys implements KeyName {

        /** The topic. */
        TOPIC("topic"),

        /** The result: accepted, replaced, kept, duplicate, rejected or unknown. */
        OUTCOME("outcome"),

        /** The simple name of the exception that the send throws; none for a duplicate. */
        EXCEPTION("exception");

        private final String key;

        SendKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Low-cardinality keys of handling. */
    public enum ProcessKeys implements KeyName {

        /** The topic. */
        TOPIC("topic"),

        /** The listener's id. */
        LISTENER("listener"),

        /** The result of the handler: success, failure, or partial if only some messages of a batch failed. */
        OUTCOME("outcome"),

        /** The simple name of the exception that the handler threw. */
        EXCEPTION("exception");

        private final String key;

        ProcessKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** High-cardinality keys; spans only. */
    public enum MessageKeys implements KeyName {

        /** The id of the message, or of the dead letter for a dead-letter listener. Not for a batch. */
        ID("delayqueue.id"),

        /** The number of the attempt, 1 or more. Not for a batch. */
        ATTEMPT("delayqueue.attempt"),

        /** The number of messages of a batch, 2 or more. */
        BATCH_SIZE("delayqueue.batch.size");

        private final String key;

        MessageKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
