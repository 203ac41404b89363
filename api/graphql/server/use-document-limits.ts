// Yoga plugin: documents that ask for too much are refused, and introspection where it is off.
import {
  NoSchemaIntrospectionCustomRule,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../../../schema/config/config.ts';
import { findExcess, parseWithin, requireOperation, validateWithin } from './document-limits.ts';
import { toGraphqlError } from '../errors.ts';

interface Hook {
  args: ExecutionArgs;
  setResultAndStopExecution(this: void, result: { errors: Error[] }): void;
}

/** What Yoga adds to the context of a request over HTTP. */
interface HttpContext {
  params?: { operationName?: unknown };
}

export function useDocumentLimits({ hasIntrospection }: Pick<Config, 'hasIntrospection'>): Plugin {
  function stopExcess({ args, setResultAndStopExecution }: Hook): void {
    const excess = findExcess(args, args.contextValue as object);
    if (excess) setResultAndStopExecution({ errors: [toGraphqlError(excess)] });
  }
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithin);
      return ({ result, context }) => {
        const { params } = context as HttpContext;
        if (params && !(result instanceof Error)) requireOperation(result, params.operationName);
      };
    },
    onValidate({ setValidationFn, addValidationRule }) {
      setValidationFn((schema: GraphQLSchema, document: DocumentNode, rules: ValidationRule[]) =>
        validateWithin(schema, document, rules, { hideSuggestions: !hasIntrospection }),
      );
      if (!hasIntrospection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute: stopExcess,
    onSubscribe: stopExcess,
  };
}
