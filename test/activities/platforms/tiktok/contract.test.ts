// TikTok passes the contract of networks, at its simulator, with videos and with photos.
import { describe } from 'vitest';
import { describeContract } from '../../../support/networks/contract/contract.ts';
import { describeFaultCases } from '../../../support/networks/contract/fault-cases.ts';
import { tiktok, tiktokPhotos } from '../../../support/networks/tiktok/subject.ts';

describeContract(tiktok);
describe('tiktok with photos', () => describeFaultCases(tiktokPhotos));
