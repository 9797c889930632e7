// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import java.util.Arrays;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** Whether there are several clients, and none is the primary one. Such an application uses its clients by itself. */
final class SeveralClients extends NoneNestedConditions {

    SeveralClients() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    /** Matches the other applications. */
    @ConditionalOnSingleCandidate(RedisClient.class)
    static final class OneClient {}

    /** Fails the start: the part of the starter that {@code keys} describe needs one client. */
    static KeyException refusal(String keys, ListableBeanFactory beanFactory) {
        return new KeyException(
                keys + " cannot choose between several clients: "
                        + Arrays.toString(beanFactory.getBeanNamesForType(RedisClient.class, true, false)),
                "Mark one bean of type RedisClient as @Primary, or remove the keys.");
    }
}
