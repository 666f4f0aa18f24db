package io.delayqueue.metrics.observation;

import io.delayqueue.message.SendResult;
import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
import java.util.Locale;
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

    /** A call of a receiver, until its result is known. It includes the wait for due messages. */
    RECEIVE {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DelayQueueReceiveObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return ReceiveKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return MessageKeys.values();
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

    /** Returns the value of the {@code outcome} key of a send, which is the name of the result. */
    static String outcome(@Nullable SendResult result) {
        return result == null
                ? KeyValue.NONE_VALUE
                : result.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /** Low-cardinality keys of a send. */
    public enum SendKeys implements KeyName {

        /** The topic. */
        TOPIC,

        /** The result: accepted, replaced, kept, duplicate, rejected or unknown. */
        OUTCOME,

        /** The simple name of the exception that the send throws; none for a duplicate. */
        EXCEPTION;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Low-cardinality keys of a receive call. */
    public enum ReceiveKeys implements KeyName {

        /** The topic of the received messages; none if there are none, because a requested topic need not exist. */
        TOPIC,

        /** The result: received, empty, cancelled or failure. */
        OUTCOME,

        /** The simple name of the exception of the call. */
        EXCEPTION;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Low-cardinality keys of handling. */
    public enum ProcessKeys implements KeyName {

        /** The topic. */
        TOPIC,

        /** The listener's id. */
        LISTENER,

        /**
         * The result of the handler: success, failure, partial if only some messages of a batch failed, or postponed if
         * all were postponed.
         */
        OUTCOME,

        /** The simple name of the exception that the handler threw. */
        EXCEPTION;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** High-cardinality keys; spans only. */
    public enum MessageKeys implements KeyName {

        /** The id of the message, or of the dead letter for a dead-letter listener. Not for a batch. */
        ID,

        /** The number of the attempt, 1 or more. Not for a batch. */
        ATTEMPT,

        /** The number of messages, unless it is 1. */
        BATCH_SIZE;

        @Override
        public String asString() {
            return "delayqueue." + name().toLowerCase(Locale.ROOT).replace('_', '.');
        }
    }
}
