// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.util.List;
import java.util.Optional;

/**
 * A target that writes the rows of another target to shadow keys. Messages, the rejects file and the verification name
 * the keys of the other target.
 */
record ShadowTarget(Target target, JobKeys keys) implements Target {

    @Override
    public String type() {
        return target.type();
    }

    @Override
    public String redisType() {
        return target.redisType();
    }

    @Override
    public TargetOptions options() {
        return target.options();
    }

    @Override
    public Optional<BucketOptions> bucket() {
        return target.bucket();
    }

    @Override
    public Optional<String> whyNotVerifiable() {
        return target.whyNotVerifiable();
    }

    @Override
    public String whatVerificationLeavesOut() {
        return target.whatVerificationLeavesOut();
    }

    @Override
    public Optional<String> moduleCommand() {
        return target.moduleCommand();
    }

    @Override
    public void check() {
        target.check();
    }

    @Override
    public RowMapping bind(List<Column> columns) {
        return new ShadowMapping(target.bind(columns), keys);
    }
}
