import { LLMEndpointRoute, type ConcreteEndpoint } from "./endpoint.ts";
import { modelId } from "./endpoint-settings.ts";
import { LLMClientError } from "./errors.ts";

/** A choice among models that can change while agents run. */
export class ModelSelector {
  /** The models by their identity, `model:<service>:<model>`. */
  readonly models: ReadonlyMap<string, ConcreteEndpoint>;
  /** Gives an agent whatever is chosen at the time of each call. */
  readonly route: LLMEndpointRoute;
  /** The identity of the model that is chosen now. */
  readonly selectedId: () => string;
  /**
   * Chooses another model; calls under way keep theirs.
   *
   * @throws {@link LLMClientError} (`core/llm-client`) for an identity that is not among the models; the choice then stays.
   */
  readonly select: (id: string) => void;

  /**
   * @throws {@link LLMClientError} (`core/llm-client`) when two models have one identity, or the default is not among
   * them.
   */
  constructor(models: readonly ConcreteEndpoint[], initial: ConcreteEndpoint) {
    const byId = new Map<string, ConcreteEndpoint>();
    for (const model of models) {
      const id = modelId(model);
      if (byId.has(id)) throw new LLMClientError(`Two models are \`${id}\`; leave one out`);
      byId.set(id, model);
    }
    let chosen = initial;
    if (byId.get(modelId(initial)) !== initial) {
      throw new LLMClientError(`The default \`${modelId(initial)}\` is not among the models; add it`);
    }
    this.models = byId;
    const speaksTools = models.every(({ protocol }) => protocol === "tools");
    this.route = new LLMEndpointRoute(() => chosen, { protocol: speaksTools ? "tools" : "json" });
    this.selectedId = () => modelId(chosen);
    this.select = (id) => {
      const model = byId.get(id);
      if (model === undefined) {
        const known = [...byId.keys()].map((name) => `\`${name}\``).join(", ");
        throw new LLMClientError(`\`${id}\` is none of the models: ${known}`);
      }
      chosen = model;
    };
  }
}
