"""A leg: the cases of one target in one round, with its brokers launched before and terminated after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from breakeven.errors import NoRoomYetError
from breakeven.planning.execution_limits import BROKER_LOOKS_EVERY_S
from breakeven.workload.case import INLINE_LOADERS, MAX_LOADERS
from infra.functions.lambda_functions import Functions
from infra.loaders.loader_tasks import LoaderTasks
from infra.retries import catch_as, retry_on
from infra.workflow.invoke import invoke, taken

#: what the steps of a leg are called with, and those of its cases
OF_LEG = taken("run_id", "leg")
OF_CASE = taken("run_id", "target", case_id="$.case.case_id")
OF_ATTEMPT = OF_CASE | taken(attempt="$.prepared.attempt")
FAILED = taken("failed")
#: at a broker that Amazon MQ creates, which takes minutes
LOOKS_EVERY = cdk.Duration.seconds(BROKER_LOOKS_EVERY_S)


class Leg(Construct):
    """``inside``: the target's brokers are our own, in the VPC; otherwise a managed service, outside it."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        functions: Functions,
        loader_tasks: LoaderTasks,
        *,
        inside: bool,
    ) -> None:
        super().__init__(scope, construct_id)
        self._prefix, self._functions, self._inside = construct_id, functions, inside
        self._tasks = loader_tasks
        #: of the distributed maps: in their executions' ARNs, and in the machine's that their metrics name
        self.labels = [self._name(name) for name in ("Loaders", "Tasks")]

    def definition(self) -> sfn.IChainable:
        """Open, warm up, cases, close; a leg that breaks fails its unsettled cases and is closed, too."""
        done = sfn.Pass(self, self._name("LegDone"), parameters={})
        close = self._close(done)
        fail = self._task("FailLeg", OF_LEG | FAILED)
        catch_as(fail, close)
        fail.next(close)
        establish = self._task("EstablishLane", OF_LEG)
        cases = self._cases()
        for state in (establish, cases):
            catch_as(state, fail)
        closes = sfn.Choice(self, self._name("LastLeg"))
        closes.when(sfn.Condition.boolean_equals("$.leg.closes", True), close).otherwise(done)
        warm_up = self._task("WarmLane", OF_LEG)
        catch_as(warm_up, cases)  # cases of a lane that is not known to be warm are flagged
        warms_up = sfn.Choice(self, self._name("WarmsUp?"))
        warms_up.when(sfn.Condition.boolean_equals("$.leg.warms_up", True), warm_up).otherwise(cases)
        establish.next(warms_up)
        warm_up.next(cases)
        cases.next(closes)
        first: Any = establish
        if self._inside:
            first = self._task("WakeFunctions", OF_LEG)
            catch_as(first, fail)
            first.next(self._brokers(establish, fail))
        opens = sfn.Choice(self, self._name("FirstLeg"))
        return opens.when(sfn.Condition.boolean_equals("$.leg.opens", True), first).otherwise(cases)

    def _brokers(self, establish: Any, fail: Any) -> sfn.Choice:
        """Nodes that are launched, or a broker that Amazon MQ creates: it is looked at each minute."""
        launch = self._task("LaunchBrokers", OF_LEG)
        create = self._task("CreateBroker", OF_LEG, result_path="$.created")
        # for four minutes: what the lane before has terminated may be in the quota's way for a while
        retry_on(launch, [NoRoomYetError.__name__], 4, interval_s=15, jitter=False)
        for state in (launch, create):
            catch_as(state, fail)
        launch.next(establish)
        wait = sfn.Wait(self, self._name("AwaitBroker"), time=sfn.WaitTime.duration(LOOKS_EVERY))
        more = sfn.Choice(self, self._name("BrokerRuns?"))
        more.when(sfn.Condition.boolean_equals("$.created.wait", True), wait).otherwise(establish)
        create.next(more)
        wait.next(create)
        managed = sfn.Condition.boolean_equals("$.leg.managed", True)
        return sfn.Choice(self, self._name("Managed?")).when(managed, create).otherwise(launch)

    def _close(self, done: sfn.Pass) -> Any:
        """A broker that Amazon MQ still creates cannot be deleted yet: it is come to again, each minute."""
        if not self._inside:
            return done
        release = self._task("ReleaseLane", OF_LEG, result_path="$.released")
        catch_as(release, done)  # ReleaseRun tries again at the end of the run
        wait = sfn.Wait(self, self._name("AwaitRelease"), time=sfn.WaitTime.duration(LOOKS_EVERY))
        more = sfn.Choice(self, self._name("Released?"))
        more.when(sfn.Condition.boolean_equals("$.released.wait", True), wait).otherwise(done)
        release.next(more)
        wait.next(release)
        return release

    def _cases(self) -> sfn.Map:
        cases = sfn.Map(
            self,
            self._name("Cases"),
            items_path="$.leg.cases",
            max_concurrency=1,
            item_selector={
                **taken("run_id", target="$.leg.target", case="$$.Map.Item.Value"),
                "failed": {},
            },
            result_path=sfn.JsonPath.DISCARD,
        )
        cases.item_processor(self._case())
        return cases

    def _case(self) -> sfn.IChainable:
        """Prepare, drive and watch, settle. A failure is recorded as the case's and the run goes on.

        Nodes that the case wants down are stopped before, and started again on every way out of it.
        """
        done = self._nodes_up(sfn.Pass(self, self._name("CaseDone"), parameters={}))
        fail = self._task("FailCase", OF_CASE | FAILED)
        catch_as(fail, done)
        fail.next(done)
        prepare = self._task("PrepareCase", OF_CASE, result_path="$.prepared")
        drive = sfn.Parallel(self, self._name("Drive"), result_path=sfn.JsonPath.DISCARD)
        drive.branch(self._loaders())
        drive.branch(self._watch())
        if self._inside:
            drive.branch(self._reboot())
        settle = self._task("SettleCase", OF_ATTEMPT)
        for state in (prepare, drive, settle):
            catch_as(state, fail)
        settle.next(done)
        prepare.next(drive).next(settle)
        return self._nodes_down(prepare, fail)

    def _watch(self) -> sfn.IChainable:
        """One call of the watch, and of a case that outlasts a function one after another."""
        so_far = taken(part="$.prepared.part", watched_s="$.prepared.watched_s")
        watch = self._task("Watch", OF_ATTEMPT | so_far, result_path="$.prepared")
        watched = sfn.Pass(self, self._name("Watched"), parameters={})
        more = sfn.Choice(self, self._name("WatchOn?"))
        more.when(sfn.Condition.boolean_equals("$.prepared.more", True), watch).otherwise(watched)
        watch.next(more)
        return watch

    def _reboot(self) -> sfn.IChainable:
        """Of a broker that Amazon MQ runs, where the case has one: asked for from outside the VPC."""
        reboot = self._task("RebootBroker", OF_ATTEMPT, result_path="$.rebooted")
        none = sfn.Pass(self, self._name("Rebooted"), parameters={})
        more = sfn.Choice(self, self._name("RebootOn?"))
        more.when(sfn.Condition.boolean_equals("$.rebooted.more", True), reboot).otherwise(none)
        reboot.next(more)
        wants_one = sfn.Condition.number_greater_than("$.case.reboots", 0)
        return sfn.Choice(self, self._name("Reboots?")).when(wants_one, reboot).otherwise(none)

    def _nodes_down(self, prepare: sfn.INextable, fail: sfn.IChainable) -> Any:
        """The case's beginning: its nodes stopped, where it wants any down."""
        if not self._inside:
            return prepare
        stop = self._task("StopNodes", OF_CASE)
        catch_as(stop, fail)
        stop.next(prepare)
        return self._when_nodes_down("NodesDown", stop, prepare)

    def _nodes_up(self, done: sfn.Pass) -> Any:
        """The case's end: its nodes started again and in sync, those that a fault had taken among them.

        What fails here ends the leg, as the next case would measure a cluster that is not whole.
        """
        if not self._inside:
            return done
        start = self._task("StartNodes", OF_CASE)
        back = self._task("AwaitNodes", OF_CASE)
        start.next(back).next(done)
        # whoever carried out a fault undoes it, too: its nodes are only awaited
        had_faults = sfn.Condition.number_greater_than("$.case.faults", 0)
        return self._when_nodes_down("NodesUp", start, done).when(had_faults, back)

    def _when_nodes_down(self, name: str, then: Any, otherwise: Any) -> sfn.Choice:
        wants_some = sfn.Condition.number_greater_than("$.case.nodes_down", 0)
        return sfn.Choice(self, self._name(name)).when(wants_some, then).otherwise(otherwise)

    def _loaders(self) -> sfn.IChainable:
        """All of the case's loaders at once; functions and tasks have a pair of maps each."""

        def function(prefix: str) -> sfn.IChainable:
            return self._task("Load", discard_all=True, prefix=prefix)

        def task(prefix: str) -> sfn.IChainable:
            return self._tasks.state(self, self._name(f"{prefix}Task"))

        few, many = self._maps("Loaders", function)
        few_tasks, many_tasks = self._maps("Tasks", task, limit_s="$.prepared.limit_s")
        one_more = sfn.Condition.is_present(f"$.case.loaders[{INLINE_LOADERS}]")
        as_tasks = sfn.Condition.string_equals("$.case.loader", "fargate")
        choice = sfn.Choice(self, self._name("FewLoaders?"))
        choice.when(sfn.Condition.and_(as_tasks, one_more), many_tasks).when(as_tasks, few_tasks)
        return choice.when(one_more, many).otherwise(few)

    def _maps(
        self, name: str, loader: Callable[[str], sfn.IChainable], **more: str
    ) -> tuple[sfn.Map, sfn.DistributedMap]:
        """An inline map, and a distributed one where loaders are many. What loaders answer is dropped.

        A distributed map's loaders are executions of their own: they are given all that they need, and none
        of it is of ``$$.Execution``, which is another one's there.

        :param loader: one loader of either map; a prefix tells the states of one from those of the other
        :param more: what else each is given: name -> path
        """
        each: dict[str, Any] = {
            "items_path": "$.case.loaders",
            "item_selector": OF_ATTEMPT | taken(loader="$$.Map.Item.Value", **more),
            "output_path": sfn.JsonPath.DISCARD,
        }
        few = sfn.Map(self, self._name(name), max_concurrency=INLINE_LOADERS, **each)
        many = sfn.DistributedMap(
            self,
            self._name(f"Many{name}"),
            max_concurrency=MAX_LOADERS,
            # express executions end after five minutes
            map_execution_type=sfn.StateMachineType.STANDARD,
            label=self._name(name),
            **each,
        )
        return few.item_processor(loader("")), many.item_processor(loader("Many"))

    def _task(
        self, step: str, payload: dict[str, Any] | None = None, *, prefix: str = "", **options: Any
    ) -> tasks.LambdaInvoke:
        name = self._name(f"{prefix}{step}")
        return invoke(self, self._functions, step, name=name, inside=self._inside, payload=payload, **options)

    def _name(self, state: str) -> str:
        return f"{self._prefix}{state}"
