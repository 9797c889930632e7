// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.client.RedisClient;
import io.millrace.lab.bitmap.RandomBits;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.RandomExperiment;

/** The same bits, stored by the library that the server uses. */
public record StoredPopulation(RandomExperiment experiment) implements Work {

    @Override
    public ReadyWork open(WorkContext context) {
        var bits = RandomBits.of(context.parameters().seed(), experiment.bits());
        return new StoreRounds(Connections.millrace(context.target()), bits);
    }

    private record StoreRounds(RedisClient client, RandomBits bits) implements ReadyWork {

        @Override
        public long run() {
            var unused = Populations.of(client, PopulationOptions.DEFAULT)
                    .store(RandomBits.NAME, bits.count(), bits.source());
            return bits.count();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
