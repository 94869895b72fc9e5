import torch
import torch.nn as nn

def argmax(vec):
    _, idx = torch.max(vec, 1)
    return idx.item()

def log_sum_exp(vec):
    max_score = vec[0, argmax(vec)]
    max_score_broadcast = max_score.view(1, -1).expand(1, vec.size()[1])
    return max_score + torch.log(torch.sum(torch.exp(vec - max_score_broadcast)))

START_TAG, STOP_TAG = "<START>", "<STOP>"
tag_to_ix = {"B": 0, "I": 1, "O": 2, START_TAG: 3, STOP_TAG: 4}
tagset_size = len(tag_to_ix)
transitions = nn.Parameter(torch.linspace(-1, 1, 25).view(5, 5).sin())
transitions.data[tag_to_ix[START_TAG], :] = -10000
transitions.data[:, tag_to_ix[STOP_TAG]] = -10000

def forward_alg(feats):
    init_alphas = torch.full((1, tagset_size), -10000.)
    init_alphas[0][tag_to_ix[START_TAG]] = 0.
    forward_var = init_alphas
    for feat in feats:
        alphas_t = []
        for next_tag in range(tagset_size):
            emit_score = feat[next_tag].view(1, -1).expand(1, tagset_size)
            trans_score = transitions[next_tag].view(1, -1)
            next_tag_var = forward_var + trans_score + emit_score
            alphas_t.append(log_sum_exp(next_tag_var).view(1))
        forward_var = torch.cat(alphas_t).view(1, -1)
    terminal_var = forward_var + transitions[tag_to_ix[STOP_TAG]]
    return log_sum_exp(terminal_var)

def score_sentence(feats, tags):
    score = torch.zeros(1)
    tags = torch.cat([torch.tensor([tag_to_ix[START_TAG]], dtype=torch.long), tags])
    for i, feat in enumerate(feats):
        score = score + transitions[tags[i + 1], tags[i]] + feat[tags[i + 1]]
    score = score + transitions[tag_to_ix[STOP_TAG], tags[-1]]
    return score

def viterbi_decode(feats):
    backpointers = []
    init_vvars = torch.full((1, tagset_size), -10000.)
    init_vvars[0][tag_to_ix[START_TAG]] = 0
    forward_var = init_vvars
    for feat in feats:
        bptrs_t = []
        viterbivars_t = []
        for next_tag in range(tagset_size):
            next_tag_var = forward_var + transitions[next_tag]
            best_tag_id = argmax(next_tag_var)
            bptrs_t.append(best_tag_id)
            viterbivars_t.append(next_tag_var[0][best_tag_id].view(1))
        forward_var = (torch.cat(viterbivars_t) + feat).view(1, -1)
        backpointers.append(bptrs_t)
    terminal_var = forward_var + transitions[tag_to_ix[STOP_TAG]]
    best_tag_id = argmax(terminal_var)
    path_score = terminal_var[0][best_tag_id]
    best_path = [best_tag_id]
    for bptrs_t in reversed(backpointers):
        best_tag_id = bptrs_t[best_tag_id]
        best_path.append(best_tag_id)
    start = best_path.pop()
    assert start == tag_to_ix[START_TAG]
    best_path.reverse()
    return path_score, best_path

feats = torch.cos(torch.arange(15.)).view(3, 5).requires_grad_()
gold = torch.tensor([0, 1, 2])
loss = forward_alg(feats) - score_sentence(feats, gold)
loss.backward()
print(loss)
print(feats.grad)
print(transitions.grad[:3, :4])
score, path = viterbi_decode(feats)
ix_to_tag = {v: k for k, v in tag_to_ix.items()}
print(f"{score.item():.4f}", [ix_to_tag[i] for i in path], score)
